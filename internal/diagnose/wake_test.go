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

// fine are the timers of a machine without faults, with a deep state that it enters.
func fine() wake.Timers {
	return wake.Timers{
		SlackNS: 50_000, ResolutionNS: 1, Facts: []wake.Fact{{Name: "Broadcast device", Value: "hpet"}, {Name: "Idle driver", Value: "intel_idle"}},
		IdleStates: []wake.IdleState{
			{Name: "POLL"}, {Name: "C1", LatencyNS: 2000, Entered: 800}, {Name: "C6", LatencyNS: 133_000, Entered: 190},
		},
	}
}

// rarelyDeep are the timers of a machine that hardly enters its deep state.
func rarelyDeep() wake.Timers {
	timers := fine()
	timers.IdleStates[2].Entered = 1
	return timers
}

func layer(name string, ns float64) wake.SleepLayer { return wake.SleepLayer{Name: name, NS: ns} }

// awake plants sleeps on a machine with other changes.
func awake(w *wake.Wake, changes ...func(*result.Document)) func(*result.Document) {
	return func(d *result.Document) {
		d.Put(w)
		d.Host.DistributionID = "rocky"
		for _, change := range changes {
			change(d)
		}
	}
}

func booted(parameters ...string) func(*result.Document) {
	return func(d *result.Document) { d.Host.BootParameters = parameters }
}

func onWindows(d *result.Document) { d.Host.OS = "windows" }

func inKVM(d *result.Document) { d.Host.Virtualization = guestOf("kvm") }

func ticks() *wake.Wake {
	return slept(wake.Timers{SlackNS: 50_000, ResolutionNS: 4e6}, 2.1e6, 4.3e6)
}

func deep() *wake.Wake { return slept(fine(), 260e3, 400e3, layer(wake.LeavingIdle, 180e3)) }

// Wake-ups that are late by what is usual have no finding: the default slack, an idle state, one late sleep. A fault
// has its cause, and says what is true of its machine only.
var ofWakeUps = map[string]outcome{
	"usual": {awake(slept(fine(), 120e3, 400e3, layer(wake.TimerSlack, 50e3), layer(wake.LeavingIdle, 55e3), layer(wake.TheRest, 15e3))), "", "", "", ""},
	"usual in a guest": {awake(slept(wake.Timers{SlackNS: 50_000, ResolutionNS: 1}, 88e3, 9e6,
		layer(wake.TimerSlack, 35e3), layer(wake.LeavingIdle, 37e3), layer(wake.TheRest, 17e3))), "", "", "", ""},
	"a busy machine":                  {awake(slept(fine(), 3e6, 60e6)), "", "", "", ""},
	"a real-time thread":              {awake(slept(wake.Timers{ResolutionNS: 1}, 6e3, 20e3)), "", "", "", ""},
	"sleeps on a BSD":                 {awake(slept(wake.Timers{}, 1e6, 2e6)), "", "", "", ""},
	"ticks that are none":             {awake(slept(wake.Timers{SlackNS: 50_000, ResolutionNS: 4e6}, 60e3, 90e3)), "", "", "", ""},
	"nothing slept":                   {awake(&wake.Wake{Timers: fine(), Ways: []wake.SleepWay{{ID: "futex@syscall", Reason: "EPERM"}}}), "", "", "", ""},
	"a tick that a program shortened": {awake(slept(wake.Timers{}, 1.7e6, 2e6, layer(wake.Rounding, 1.2e6), layer(wake.TheRest, 0.5e6)), onWindows), "", "", "", ""},
	"early sleeps":                    {awake(earlySleeps()), "early-wake-ups", result.Error, "POSIX forbids … 3 of 150 sleeps of 1 ms, by up to 300 µs. … man7.org", "Windows"},
	"early sleeps on Windows": {awake(earlySleeps(), onWindows), "early-wake-ups", result.Note,
		"may be up to a tick early … sleep until … learn.microsoft.com", "POSIX | LD_PRELOAD"},
	"ticks of 15.6 ms": {awake(sleptByTicks(), onWindows), "sleeps-by-ticks", result.Note,
		"every 15.6 ms … Sleep@winapi · a sleep of 1 ms ended 14.3 ms late, 13.8 ms less with CREATE_WAITABLE_TIMER_HIGH_RESOLUTION … version 1803 … timeBeginPeriod(1) … version 2004 … costs power", ""},
	"coarse timers": {awake(slept(wake.Timers{ResolutionNS: 1e7}, 5e6, 1.1e7)), "coarse-timers", result.Warn, "clock_getres(CLOCK_MONOTONIC): 10 ms", ""},
	"coarse timers by a parameter": {awake(ticks(), booted("highres=off", "nohz=off")), "coarse-timers", result.Warn,
		"The boot parameter highres=off turns … remove-args=highres=off", "guess | CONFIG_HIGH_RES"},
	"coarse timers by another value": {awake(ticks(), booted("highres=0")), "coarse-timers", result.Warn, "The boot parameter highres=0 turns", ""},
	"coarse timers, not by their parameter": {awake(ticks(), booted("highres=on")), "coarse-timers", result.Warn,
		"This is a guess … CONFIG_HIGH_RES_TIMERS=y", "remove-args | highres=on"},
	"timer slack": {awake(slept(wake.Timers{SlackNS: 1e6, ResolutionNS: 1}, 1.06e6, 1.2e6, layer(wake.TimerSlack, 1e6))), "timer-slack", result.Warn,
		"this process … inherits … 1 ms, 20 times the default … 1 ms less with a slack of 1 ns … TimerSlackNSec=50us … /proc/self/timerslack_ns", "ask who"},
	"timer slack of a service": {
		awake(slept(wake.Timers{SlackNS: 5e4, ResolutionNS: 1, LargeSlacks: []wake.ProgramSlack{{Program: "napd", PID: 7, SlackNS: 1e7}}}, 8e4, 9e4)), "timer-slack", result.Note,
		"napd (process 7) · timer slack 10 ms … ask who set its slack … to save power … systemctl show -p TimerSlackNSec", "TimerSlackNSec=50us | PR_SET_TIMERSLACK",
	},
	"slow interrupts": {awake(slept(fine(), 8e4, 9e4), func(d *result.Document) {
		d.Host.KernelLog = &result.KernelLog{Lines: []string{"hrtimer: interrupt took 1326163 ns", "hrtimer: interrupt took 2500000 ns"}}
	}), "slow-interrupt", result.Note, "a timer interrupt took 2.5 ms at some time … hrtimer: interrupt took 1326163 ns", ""},
	"deep idle state": {awake(deep()), "slow-idle-exit", result.Note,
		"leaves the idle state C6 slowly … idle state C6 · entered 190× … /dev/cpu_dma_latency … turbo … cpupower idle-set -D", "guess | haltpoll"},
	"no idle state that explains it": {awake(slept(rarelyDeep(), 260e3, 400e3, layer(wake.LeavingIdle, 180e3))), "slow-idle-exit", result.Note,
		"No idle state that was often entered explains it … idle state C1", "C6"},
	"a broadcast device": {awake(slept(fine(), 4e6, 9e6, layer(wake.LeavingIdle, 3.5e6))), "slow-idle-exit", result.Note,
		"the broadcast device (hpet) wakes it. This is a guess.", "leaves the idle state"},
	"idle states of a guest": {awake(deep(), inKVM), "slow-idle-exit", result.Note, "the hypervisor's is a guess … guest_halt_poll_ns", "cpupower | cpu_dma_latency"},
	"a quota delays sleeps": {awake(slept(fine(), 70e3, 91e6), func(d *result.Document) {
		d.Host.CPU.Quota, d.Host.CPU.QuotaPeriodNS = 0.1, 1e8
		d.Conditions.ThrottledPeriods, d.Conditions.ThrottledNS = 12, 1e9
	}), "quota", result.Note, "clock_nanosleep@syscall · a sleep of 1 ms ended 91 ms late (max)", ""},
}

// Sleeps that end early are also found beside those that end with ticks.
func TestEarlySleepsBesideTicks(t *testing.T) {
	both := sleptByTicks()
	both.Ways = append(both.Ways, earlySleeps().Ways...)
	both.Ways[1].ID = wake.HighResolutionID
	d := well()
	awake(both, onWindows)(d)
	findings := Findings(d)
	require.Len(t, findings, 2)
	require.Equal(t, []string{wake.HighResolutionID + " ends early: 3 of 150 sleeps of 1 ms, by up to 300 µs."}, findings[1].Evidence)
}
