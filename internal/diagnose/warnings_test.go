package diagnose

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/measurement/wake"
)

// quiet returns the document of a run on an idle machine with two CPUs.
func quiet() *result.Document {
	return &result.Document{
		Host: result.Host{CPU: result.CPU{Logical: 2, Usable: 2}},
		Conditions: &result.Conditions{
			DurationNS: 5_700_000_000, Turns: 720, InterruptedTurns: 12, FloorLowNS: 1.354, FloorHighNS: 1.363, StealShare: 0.0009, OtherCPUs: 0.015,
		},
		Sections: []result.Section{&compare.Costs{Clocks: []compare.Clock{{ID: "c", Latency: &compare.Latency{MedianNS: 20}, Resolution: &compare.Resolution{}}}}},
	}
}

func TestQuietMachineHasNoWarnings(t *testing.T) {
	require.Empty(t, Warnings(quiet()))
	require.Empty(t, Warnings(&result.Document{}), "a document of an older timebench")
	busyElsewhere := quiet()
	busyElsewhere.Host.CPU.Usable = 64
	busyElsewhere.Conditions.OtherCPUs = 1
	require.Empty(t, Warnings(busyElsewhere), "one busy CPU of 64")
	for _, sync := range []result.TimeSync{
		{}, {TickNS: 10_000_000, FrequencyPPM: 500}, {TickNS: 10_000_000, FrequencyPPM: -500}, {TickNS: 10_001_000},
		{TickNS: 10_100_000, FrequencyPPM: -9901}, // one cancels the other
	} {
		corrected := quiet()
		corrected.Host.TimeSync = &sync
		require.Empty(t, Warnings(corrected), "%+v", sync)
	}
	short := quiet()
	short.Conditions.DurationNS, short.Conditions.OtherCPUs = 50_000_000, 0.2
	short.Conditions.StealShare = 0.1
	require.Empty(t, Warnings(short), "a tick of the kernel's in a short run")
}

// Each disturbance alone has a warning of its own kind, with its figures.
func TestEachDisturbanceIsNamed(t *testing.T) {
	planted := map[string]bool{}
	for _, test := range []struct {
		kind, saw string
		plant     func(*result.Document)
	}{
		{"clocksource", "tsc, then hpet", func(d *result.Document) { d.Conditions.ClockSources = []string{"tsc", "hpet"} }},
		{"backwards", "c 3 times by up to 120 ns", func(d *result.Document) {
			compare.Into(d).Clocks[0].Resolution.Backwards, compare.Into(d).Clocks[0].Resolution.WorstBackwardsNS = 3, 120
		}},
		{"step", "by -1.5 s", func(d *result.Document) { d.Conditions.WallStepNS = -1_500_000_000 }},
		{"slewed", "run 10 % fast (adjtimex: tick 11,000 µs,", func(d *result.Document) { d.Host.TimeSync = &result.TimeSync{TickNS: 11_000_000} }},
		{"slewed", "run 0.1 % fast (adjtimex: tick 10,005 µs, frequency +500 ppm)", func(d *result.Document) {
			d.Host.TimeSync = &result.TimeSync{TickNS: 10_005_000, FrequencyPPM: 500}
		}},
		{"starved", "in 60 of 100 samples of throughput with 16 threads, a thread had no CPU", func(d *result.Document) {
			compare.Into(d).Clocks[0].Throughput = []compare.Throughput{{Threads: 8}, {Threads: 16, Disturbed: true}, {Threads: 32, Disturbed: true}}
			d.Conditions.Passes = []result.Passes{
				{Threads: 8, Planned: 100, Complete: 100, Starved: 40}, {Threads: 16, Planned: 100, Complete: 100, Starved: 60},
				{Threads: 32, Planned: 100, Complete: 100, Starved: 100},
			}
		}},
		{"incomplete", "the run has no throughput with 24 to 26 and 32 threads, 30 of 100 samples of throughput with 16 threads and only 9 rounds of latency: the time limit ended the run", func(d *result.Document) {
			d.Conditions.CompleteRounds = 9
			d.Conditions.Passes = []result.Passes{{Threads: 16, Planned: 100, Complete: 30, Reasons: []string{"the time limit ended the run"}}}
			for _, threads := range []int{24, 25, 26, 32} {
				d.Conditions.Passes = append(d.Conditions.Passes, result.Passes{Threads: threads, Planned: 100, Reasons: []string{"the time limit ended the run"}})
			}
		}},
		{"incomplete", "the run has 13 of 40 samples of throughput with 2 threads: c: too many open files, and 2 other reasons", func(d *result.Document) {
			d.Conditions.Passes = []result.Passes{
				{Threads: 2, Planned: 40, Complete: 13, Reasons: []string{"d: too many open files", "c: too many open files", "e: busy"}},
			}
		}},
		{"realtime", "policy SCHED_FIFO", func(d *result.Document) { d.Host.CPU.SchedulingPolicy = "SCHED_FIFO" }},
		{"quota", "throttled in 1 period, 60 ms of CPU time withheld", func(d *result.Document) {
			d.Conditions.ThrottledPeriods, d.Conditions.ThrottledNS = 1, 60_000_000
		}},
		{"steal", "gave 12 % of", func(d *result.Document) { d.Conditions.StealShare = 0.12 }},
		{"load", "used 0.80 of 2 CPUs", func(d *result.Document) { d.Conditions.OtherCPUs = 0.8 }},
		{"preempted", "disturbed 13.9 % of the latency samples", func(d *result.Document) { d.Conditions.InterruptedTurns = 100 }},
		{"speed", "from 1.35 ns to 1.6 ns", func(d *result.Document) { d.Conditions.FloorHighNS = 1.6 }},
		{"speed", "(governor: powersave)", func(d *result.Document) {
			d.Conditions.FloorHighNS, d.Host.CPU.Governors = 1.6, []string{"powersave"}
		}},
	} {
		planted[test.kind] = true
		d := quiet()
		test.plant(d)
		warnings := Warnings(d)
		require.Len(t, warnings, 1, test.kind)
		require.Equal(t, test.kind, warnings[0].Kind)
		require.Contains(t, warnings[0].Saw, test.saw)
		require.NotEmpty(t, warnings[0].Spoilt)
		require.NotEmpty(t, warnings[0].Advice)
	}
	for kind := range observations {
		require.True(t, planted[kind], "%s: add its case here", kind)
	}
}

// Doctor has no flag for more time, and may have run without --fast.
func TestDoctorWithTooLittleTime(t *testing.T) {
	d := quiet()
	d.Tool.Command, d.Conditions.CompleteRounds = "doctor", 9
	warnings := Warnings(d)
	require.Len(t, warnings, 1)
	require.Equal(t, "run again when the machine is less busy, or with more time (timebench compare --limit 5m)", warnings[0].Advice)
}

// A load delays sleeps, and the report of wake says so.
func TestLoadDelaysSleeps(t *testing.T) {
	d := &result.Document{Conditions: &result.Conditions{DurationNS: 1e9, OtherCPUs: 0.8}}
	d.Host.CPU.Usable = 2
	require.Empty(t, Warnings(d))
	d.Put(&wake.Wake{})
	warnings := Warnings(d)
	require.Len(t, warnings, 1)
	require.Equal(t, "p99 and the maximum of the lateness, and often its medians", warnings[0].Spoilt)
}

// A warning mentions throughput, a load or a command only if the run has it.
func TestWarningsFitTheRun(t *testing.T) {
	noisy := func(checks bool, section result.Section) string {
		d := quiet()
		if d.Sections = append(d.Sections, section); checks { // such a run measures no costs
			d.Sections = d.Sections[1:]
		}
		d.Host.CPU.SchedulingPolicy = "SCHED_FIFO"
		c := d.Conditions
		c.ThrottledPeriods, c.ThrottledNS, c.StealShare, c.OtherCPUs = 1, 60_000_000, 0.12, 0.8
		var kinds, text []string
		for _, w := range Warnings(d) {
			kinds = append(kinds, w.Kind)
			text = append(text, w.Spoilt, w.Advice)
		}
		require.Equal(t, []string{"realtime", "quota", "steal", "load"}, kinds)
		return strings.Join(text, "\n")
	}
	measured := []compare.Throughput{{Threads: 2}}
	for name, test := range map[string]struct {
		section                    result.Section
		throughput, loaded, checks bool
	}{
		"runtimes":               {section: &runtimes.Runtimes{Runtimes: []runtimes.MeasuredRuntime{{Calls: []runtimes.MeasuredCall{{}}}}}},
		"runtimes --threads 1,2": {section: &runtimes.Runtimes{Runtimes: []runtimes.MeasuredRuntime{{Calls: []runtimes.MeasuredCall{{Throughput: measured}}}}}, throughput: true},
		"verify":                 {section: &verify.Verification{}, checks: true},
		"verify --load":          {section: &verify.Verification{Load: true}, loaded: true, checks: true},
		"drift":                  {section: &drift.Drift{}, checks: true},
		"drift --load":           {section: &drift.Drift{LoadedFromNS: 1}, loaded: true, checks: true},
		"skew":                   {section: &skew.Skew{}, checks: true},
		"profile":                {section: &profile.Profile{}},
	} {
		text := noisy(test.checks, test.section)
		require.Equal(t, test.throughput, strings.Contains(text, "throughput"), "%s: %s", name, text)
		require.Equal(t, test.throughput, strings.Contains(text, "--threads"), "%s: %s", name, text)
		require.Equal(t, test.loaded, strings.Contains(text, "the load"), "%s: %s", name, text)
		require.Equal(t, test.checks, strings.Contains(text, "how small a warp"), "%s: %s", name, text)
		require.NotContains(t, text, "--pin")
	}
}
