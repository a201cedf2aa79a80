package diagnose

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock/vdso"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/counter"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
)

const vdsoMonotonic = "CLOCK_MONOTONIC@vdso"

func apart() *skew.Skew {
	return &skew.Skew{CPUs: []int{0, 1}, Clocks: []skew.SkewedClock{{ID: "LFENCE+RDTSC@cpu", Pairs: []skew.CPUPair{{CPU: 0, OtherCPU: 1, OffsetNS: -5040, BoundNS: 420}}}}}
}

// planted are documents of a measurement whose section shows a fault, with the kind of the finding.
var planted = []struct {
	kind    string
	section result.Section
}{
	{"backwards", &compare.Costs{Clocks: []compare.Clock{{ID: vdsoMonotonic, Kind: "monotonic", Resolution: &compare.Resolution{Backwards: 1, WorstBackwardsNS: 5}}}}},
	{"backwards", &verify.Verification{Clocks: []verify.VerifiedClock{{ID: vdsoMonotonic, Faults: []verify.ClockFault{{Kind: verify.FaultWarp, Count: 1, WorstNS: 5000}}}}}},
	{"faulty-clock", &verify.Verification{Clocks: []verify.VerifiedClock{{ID: vdsoMonotonic, Faults: []verify.ClockFault{{Kind: verify.FaultStall, Count: 1, WorstNS: 1e9}}}}}},
	{"backwards", apart()},
	{"counter-rate", counterWith(counter.CounterRate{Name: "CPUID 15H", HZ: 2e9})},
	{"drift", &drift.Drift{Clocks: []drift.DriftedClock{{ID: vdsoMonotonic, Idle: rated(1), Loaded: rated(-999)}}}},
	{"kernel-entry", &runtimes.Runtimes{Clocks: []runtimes.SystemClock{{ID: vdsoMonotonic, KernelEntry: result.Always, Latency: &compare.Latency{MedianNS: 800}}}}},
	{"backwards", &runtimes.Runtimes{Runtimes: []runtimes.MeasuredRuntime{{Name: "java", Calls: []runtimes.MeasuredCall{{
		ID: "System.nanoTime@java", Kind: "monotonic", Resolution: &compare.Resolution{Backwards: 2, WorstBackwardsNS: 7},
	}}}}}},
	{"kernel-entry", &profile.Profile{KernelEntry: result.Always, ReadNS: 800}},
	{"heavy-readers", &profile.Profile{KernelEntry: result.Never, ReadNS: 20, Processes: []profile.Process{reading("java", 0.4, 0.3)}}},
	{"early-wake-ups", earlySleeps()},
}

func rated(ppm float64) *drift.DriftRate {
	return &drift.DriftRate{PPM: &ppm, Hz: 1e9 + 1e3*ppm, IntervalPPM: 1}
}

// Doctor judges the section of every measurement, also of a saved document. A new one is planted here.
func TestEverySectionIsJudged(t *testing.T) {
	judged := map[string]bool{}
	for _, p := range planted {
		judged[p.section.Key()] = true
		d := &result.Document{Host: result.Host{OS: "linux", Arch: "amd64"}, Sections: []result.Section{p.section}}
		findings := Findings(d)
		require.Len(t, findings, 1, p.section.Key())
		require.Equal(t, p.kind, findings[0].Kind)
		require.NotEmpty(t, findings[0].Evidence)
	}
	for _, kind := range sections.All {
		require.True(t, judged[kind.Key()], "plant a fault in the section %q", kind.Key())
	}
}

// Skew and verify show the same fault: it is one finding, whose title is the offset.
func TestSkewAndWarpAreOneFinding(t *testing.T) {
	d := well()
	d.Put(apart())
	d.Put(planted[1].section)
	d.Findings = Findings(d)
	require.Len(t, d.Findings, 1)
	require.Equal(t, []string{"backwards", result.Error}, []string{d.Findings[0].Kind, d.Findings[0].Severity})
	require.Equal(t, "the CPUs do not have the same time: CPU 0 is ahead of CPU 1 by 5.04 µs ± 420 ns", d.Findings[0].Title)
	require.Len(t, d.Findings[0].Evidence, 2)
	answer, _ := Answer(d)
	require.Contains(t, answer, "; but the CPUs do not have the same time: CPU 0 is ahead")

	within := apart()
	within.Clocks[0].Pairs[0].OffsetNS = 400
	d = well()
	d.Put(within)
	require.Empty(t, Findings(d))
}

// Two samples on a busy machine have no level: one slice shows that a read costs 23 ns. From six samples on, the lowest
// level counts.
func TestLimitIsJudgedByTheLowestLevel(t *testing.T) {
	for name, test := range map[string]struct {
		samples, quiet []float64
		over           bool
	}{
		"two samples beside a load":   {[]float64{611.07, 23.32}, []float64{22.95, 23.23}, false},
		"one quiet slice of four":     {[]float64{430.6, 23.3}, []float64{244.9, 22.6}, false},
		"mostly disturbed":            {[]float64{611, 590, 540, 611, 23.4, 23.3, 650, 700}, []float64{300, 290, 280, 300, 22.6, 22.6, 310, 330}, false},
		"two samples of a slow clock": {[]float64{845, 850}, []float64{840, 841}, true},
		"a slow clock":                {[]float64{845, 850, 846, 845, 845, 846, 990}, []float64{840, 841, 840, 840, 840, 840, 850}, true},
	} {
		costs := &compare.Costs{Clocks: []compare.Clock{{ID: vdsoMonotonic, Path: "vdso", Available: true, KernelEntry: result.Never}}}
		costs.Clocks[0].Latency = &compare.Latency{MedianNS: 317, MinNS: 23, SamplesNS: test.samples, QuietSamplesNS: test.quiet}
		if test.over {
			costs.Clocks[0].Latency.MedianNS, costs.Clocks[0].Latency.MinNS = 846, 845
		}
		d := &result.Document{Sections: []result.Section{costs}}
		require.Equal(t, test.over, OverLimit(d, 100) != nil, name)
		answer, _ := Answer(d)
		require.Equal(t, !test.over, strings.HasPrefix(answer, "Reading the clock is fast: 2"), "%s: %s", name, answer)
	}
}

// Without a vDSO programs pay for the system call, and not for the two calls of time.Now.
func TestAnswerWithoutAVDSO(t *testing.T) {
	d := &result.Document{Sections: []result.Section{&compare.Costs{Clocks: []compare.Clock{
		{ID: vdsoMonotonic, Path: "vdso", Reason: vdso.ErrNone.Error()},
		{ID: "time.Now@go", Path: "go", Available: true, Latency: &compare.Latency{MedianNS: 1330}},
		{ID: "CLOCK_MONOTONIC@syscall", Path: "syscall", Available: true, KernelEntry: result.Always, Latency: &compare.Latency{MedianNS: 596}},
	}}}}
	d.Findings = Findings(d)
	answer, _ := Answer(d)
	require.Contains(t, answer, "Reading the clock is slow: 596 ns per read")
}

// The cost of time.Now, which is above the cost of its clock, is no answer of a doctor that was interrupted before it
// measured an everyday clock. Nor are its other measurements, but a fault that they show is.
func TestAnswerOfAnInterruptedDoctor(t *testing.T) {
	d := &result.Document{Tool: result.Tool{Command: "doctor"}, Interrupted: true}
	d.Put(&compare.Costs{Clocks: []compare.Clock{
		{ID: vdsoMonotonic, Path: "vdso", Available: true},
		{ID: "time.Now@go", Path: "go", Available: true, Latency: &compare.Latency{MedianNS: 43.5, MinNS: 43.5}},
	}})
	answer, level := Answer(d)
	require.Equal(t, "the cost of a read was not measured.", answer)
	require.Zero(t, level)
	d.Findings = []result.Finding{{Kind: "backwards", Severity: result.Error, Title: "a clock went backwards"}}
	answer, _ = Answer(d)
	require.Equal(t, "the cost of a read was not measured; but a clock went backwards.", answer)
	d.Interrupted, d.Findings = false, nil
	answer, _ = Answer(d)
	require.Contains(t, answer, "43.5 ns per read", "no everyday clock can be read")
}

// Each question without an answer is listed, with the reason that the document shows, or the reason of the run.
func TestNotChecked(t *testing.T) {
	d := well()
	d.Host.KernelLog = &result.KernelLog{Reason: "/dev/kmsg: operation not permitted"}
	lost := apart()
	lost.Clocks[0].Pairs, lost.Clocks[0].Reason = nil, "too few round trips in 1 s; use a longer --duration"
	lost.Clocks[0].MissingPairs = []skew.MissingPair{{CPU: 0, OtherCPU: 1, Reason: "too few round trips in 1 s; use a longer --duration"}}
	d.Put(lost)
	d.Put(&verify.Verification{CPUs: []int{0, 1}, Clocks: []verify.VerifiedClock{{ID: vdsoMonotonic, Verdict: verify.Unverified, Reason: "no CPU"}}})
	d.NotChecked = []result.NotChecked{{What: WhoReads, Why: "that needs root"}}
	d.NotChecked = NotChecked(d, "the run was interrupted")
	for _, want := range []result.NotChecked{
		{What: WhoReads, Why: "that needs root"},
		{What: "whether the CPUs have the same time", Why: "too few round trips in 1 s; run `timebench skew`"},
		{What: "whether clocks go backwards", Why: vdsoMonotonic + ": no CPU"},
		{What: "what the kernel log shows", Why: "/dev/kmsg: operation not permitted"},
	} {
		require.Contains(t, d.NotChecked, want)
	}
	require.Equal(t, d.NotChecked, NotChecked(d, "again"), "a saved document keeps its reasons")
	require.Contains(t, Unchecked(d), result.NotChecked{What: WhoReads, Why: "that needs root"})

	d = well()
	d.Put(apart())
	require.Contains(t, NotChecked(d, "the run was interrupted"), result.NotChecked{What: "whether clocks go backwards", Why: "the run was interrupted"})
	require.Contains(t, NotChecked(d, "the run was interrupted"), result.NotChecked{What: WhoReads, Why: "the run was interrupted"})
	d.Conditions.DurationNS, d.Conditions.OtherCPUs = 2e9, 1.2
	require.Contains(t, NotChecked(d, "-"), result.NotChecked{What: "whether reads scale over CPUs", Why: "other programs used 1.20 of 4 CPUs during the run"})
	busy := slept(fine(), 77e3, 9e6)
	busy.NoIdleLayer = "the CPUs were busy"
	d.Put(busy)
	require.Contains(t, NotChecked(d, "-"), result.NotChecked{What: "how late an idle CPU wakes up", Why: "the CPUs were busy"})
	require.Empty(t, NotChecked(&result.Document{}, "a kernel log"), "nothing was measured")
}
