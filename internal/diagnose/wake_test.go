package diagnose

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/wake"
)

// slept returns a section with one way to sleep, which slept 1 ms, and its timers.
func slept(timers wake.Timers, medianNS, maxNS float64, layers ...wake.SleepLayer) *wake.Wake {
	return &wake.Wake{DurationNS: 5e8, Timers: timers, Ways: []wake.SleepWay{{
		ID: "clock_nanosleep@syscall", Call: "clock_nanosleep(2)", Available: true, Spans: []wake.SleepSpan{{
			SpanNS: 1e6, Samples: 150, MinLateNS: medianNS / 2, MedianLateNS: medianNS, MaxLateNS: maxNS, Layers: layers,
			PartMediansNS: []float64{medianNS},
		}},
	}}}
}

// earlySleeps returns a section with sleeps that end early.
func earlySleeps() *wake.Wake {
	w := slept(wake.Timers{SlackNS: 5e4, ResolutionNS: 1}, 6e4, 9e4)
	w.Ways[0].Spans[0].Early, w.Ways[0].Spans[0].MinLateNS = 3, -3e5
	return w
}

// sleptByTicks returns a section of Windows, whose Sleep ends with ticks of 15.6 ms, and some of them early.
func sleptByTicks() *wake.Wake {
	w := slept(wake.Timers{}, 14.3e6, 15.5e6, layer(wake.Rounding, 13.8e6), layer(wake.TheRest, 0.5e6))
	w.Ways[0].ID, w.Ways[0].Spans[0].Early, w.Ways[0].Spans[0].MinLateNS = "Sleep@winapi", 1, -2e5
	return w
}

// Windows names its ticks as the cause, with how to do without them; not a tick that a program shortened.
func TestTicksOfWindows(t *testing.T) {
	d := well()
	d.Host.OS = "windows"
	d.Put(sleptByTicks())
	findings := Findings(d)
	require.Len(t, findings, 1)
	for _, text := range []string{"every 15.6 ms", "timeBeginPeriod(1)", "version 2004", "costs power", "version 1803"} {
		require.Contains(t, worded(findings[0]), text)
	}
	both := sleptByTicks()
	both.Ways = append(both.Ways, earlySleeps().Ways...)
	both.Ways[1].ID = wake.HighResolutionID
	d.Put(both)
	findings = Findings(d)
	require.Len(t, findings, 2)
	require.Equal(t, []string{wake.HighResolutionID + " ends early: 3 of 150 sleeps of 1 ms, by up to 300 µs."}, findings[1].Evidence)
	d.Put(slept(wake.Timers{}, 1.7e6, 2e6, layer(wake.Rounding, 1.2e6), layer(wake.TheRest, 0.5e6)))
	require.Empty(t, Findings(d))
}

// fine are the timers of a machine without faults, with a deep state that it enters.
func fine() wake.Timers {
	return wake.Timers{
		SlackNS: 50_000, ResolutionNS: 1, Facts: []wake.Fact{{Name: "Broadcast device", Value: "hpet"}, {Name: "Idle driver", Value: "intel_idle"}},
		IdleStates: []wake.IdleState{
			{Name: "POLL"}, {Name: "C1", LatencyNS: 2000, Entered: 800}, {Name: "C6", LatencyNS: 133_000, Entered: 190},
		},
	}
}

func layer(name string, ns float64) wake.SleepLayer { return wake.SleepLayer{Name: name, NS: ns} }

// Sleeps that end late by what is usual have no finding: the default slack, an idle state, one late sleep.
func TestUsualLatenessIsNoFinding(t *testing.T) {
	for name, w := range map[string]*wake.Wake{
		"bare metal": slept(fine(), 120e3, 400e3, layer(wake.TimerSlack, 50e3), layer(wake.LeavingIdle, 55e3), layer(wake.TheRest, 15e3)),
		"a guest": slept(wake.Timers{SlackNS: 50_000, ResolutionNS: 1}, 88e3, 9e6,
			layer(wake.TimerSlack, 35e3), layer(wake.LeavingIdle, 37e3), layer(wake.TheRest, 17e3)),
		"a busy machine":      slept(fine(), 3e6, 60e6),
		"a real-time thread":  slept(wake.Timers{ResolutionNS: 1}, 6e3, 20e3),
		"a BSD":               slept(wake.Timers{}, 1e6, 2e6),
		"ticks that are none": slept(wake.Timers{SlackNS: 50_000, ResolutionNS: 4e6}, 60e3, 90e3),
		"nothing slept":       {Timers: fine(), Ways: []wake.SleepWay{{ID: "futex@syscall", Reason: "EPERM"}}},
	} {
		d := well()
		d.Put(w)
		require.Empty(t, Findings(d), name)
	}
}

// A fault of wake-ups has its cause. A boot parameter is named only if it turns high-resolution timers off.
func TestCausesOfLateWakeUps(t *testing.T) {
	ticks := slept(wake.Timers{SlackNS: 50_000, ResolutionNS: 4e6}, 2.1e6, 4.3e6)
	deep := slept(fine(), 260e3, 400e3, layer(wake.LeavingIdle, 180e3))
	rare := fine()
	rare.IdleStates[2].Entered = 1
	another := slept(rare, 260e3, 400e3, layer(wake.LeavingIdle, 180e3))
	far := slept(fine(), 4e6, 9e6, layer(wake.LeavingIdle, 3.5e6))
	guest := func(d *result.Document) {
		d.Host.Virtualization = &result.Virtualization{System: "kvm", Role: "guest"}
	}
	for _, test := range []struct {
		section *wake.Wake
		plant   func(*result.Document)
		kind    string
		says    []string
		never   []string
	}{
		{ticks, booted("highres=off", "nohz=off"), "coarse-timers", []string{"The boot parameter highres=off turns", "remove-args=highres=off"}, []string{"guess", "CONFIG_HIGH_RES"}},
		{ticks, booted("highres=on"), "coarse-timers", []string{"This is a guess", "CONFIG_HIGH_RES_TIMERS=y"}, []string{"remove-args", "highres=on"}},
		{ticks, booted("highres=0"), "coarse-timers", []string{"The boot parameter highres=0 turns"}, nil},
		{deep, nil, "slow-idle-exit", []string{"leaves the idle state C6 slowly", "entered 190×", "cpupower idle-set -D", "/dev/cpu_dma_latency", "turbo"}, []string{"guess", "haltpoll"}},
		{another, nil, "slow-idle-exit", []string{"No idle state that was often entered explains it", "idle state C1"}, []string{"C6"}},
		{far, nil, "slow-idle-exit", []string{"the broadcast device (hpet) wakes it. This is a guess."}, []string{"leaves the idle state"}},
		{deep, guest, "slow-idle-exit", []string{"the hypervisor's is a guess", "guest_halt_poll_ns"}, []string{"cpupower", "cpu_dma_latency"}},
		{slept(wake.Timers{SlackNS: 1e6, ResolutionNS: 1}, 1.06e6, 1.2e6, layer(wake.TimerSlack, 1e6)), nil, "timer-slack",
			[]string{"1 ms, 20 times the default", "TimerSlackNSec=50us", "1 ms less with a slack of 1 ns"}, nil},
	} {
		d := well()
		d.Host.DistributionID = "rocky"
		if test.plant != nil {
			test.plant(d)
		}
		d.Put(test.section)
		findings := Findings(d)
		require.Len(t, findings, 1, test.kind)
		require.Equal(t, test.kind, findings[0].Kind)
		for _, text := range test.says {
			require.Contains(t, worded(findings[0]), text)
		}
		for _, text := range test.never {
			require.NotContains(t, worded(findings[0]), text)
		}
	}
}

// A finding of wake-ups says what is true of its machine only.
func TestTextsOfWakeUps(t *testing.T) {
	log := func(d *result.Document) {
		d.Host.KernelLog = &result.KernelLog{Lines: []string{"hrtimer: interrupt took 1326163 ns",
			"hrtimer: interrupt took 2500000 ns"}}
	}
	windows := func(d *result.Document) { d.Host.OS = "windows" }
	napd := wake.Timers{SlackNS: 5e4, ResolutionNS: 1,
		LargeSlacks: []wake.ProgramSlack{{Program: "napd", PID: 7, SlackNS: 1e7}}}
	for name, test := range map[string]struct {
		section     *wake.Wake
		plant       func(*result.Document)
		says, never []string
	}{
		"the longest interrupt": {slept(fine(), 8e4, 9e4), log, []string{"a timer interrupt took 2.5 ms at some time"}, nil},
		"slack of others": {slept(napd, 8e4, 9e4), func(*result.Document) {},
			[]string{"ask who set its slack", "to save power", "systemctl show -p TimerSlackNSec"},
			[]string{"TimerSlackNSec=50us", "PR_SET_TIMERSLACK"}},
		"inherited slack": {slept(wake.Timers{SlackNS: 1e6}, 1e6, 1.1e6), func(*result.Document) {},
			[]string{"this process", "inherits", "TimerSlackNSec=50us", "/proc/self/timerslack_ns"}, []string{"ask who"}},
		"early on Windows": {earlySleeps(), windows,
			[]string{"may be up to a tick early", "learn.microsoft.com", "sleep until"}, []string{"POSIX", "LD_PRELOAD"}},
		"early on Linux": {earlySleeps(), func(*result.Document) {}, []string{"POSIX forbids", "man7.org"}, []string{"Windows"}},
	} {
		d := well()
		d.Put(test.section)
		test.plant(d)
		findings := Findings(d)
		require.Len(t, findings, 1, name)
		for _, text := range test.says {
			require.Contains(t, worded(findings[0]), text, name)
		}
		for _, text := range test.never {
			require.NotContains(t, worded(findings[0]), text, name)
		}
	}
}

func booted(parameters ...string) func(*result.Document) {
	return func(d *result.Document) { d.Host.BootParameters = parameters }
}

// Under a quota, the latest sleep is evidence if the run was throttled; on a busy machine without one it is nothing.
func TestQuotaDelaysSleeps(t *testing.T) {
	d := well()
	d.Host.CPU.Quota, d.Host.CPU.QuotaPeriodNS = 0.1, 1e8
	d.Conditions.ThrottledPeriods, d.Conditions.ThrottledNS = 12, 1e9
	d.Put(slept(fine(), 70e3, 91e6))
	findings := Findings(d)
	require.Len(t, findings, 1)
	require.Equal(t, "quota", findings[0].Kind)
	require.Contains(t, findings[0].Evidence, "clock_nanosleep@syscall · a sleep of 1 ms ended 91 ms late (max)")
}

// A document of Linux lists that an idle CPU's wake-up is unknown, with the reason of the measurement if it has one.
func TestUnknownIdleExitIsListed(t *testing.T) {
	d := well()
	unknown := func(why string) result.NotChecked {
		return result.NotChecked{What: "how late an idle CPU wakes up", Why: why}
	}
	require.Contains(t, NotChecked(d, "the flag --fast leaves this out"), unknown("the flag --fast leaves this out"))
	w := slept(fine(), 77e3, 9e6)
	d.Put(w)
	require.NotContains(t, NotChecked(d, "-"), unknown("-"))
	w.NoIdleLayer = "the CPUs were busy"
	require.Contains(t, NotChecked(d, "-"), unknown("the CPUs were busy"))
}
