package diagnose

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/verify"
)

func verified(id, kind string, faults ...verify.ClockFault) *result.Document {
	return &result.Document{
		Sections: []result.Section{&compare.Costs{Clocks: []compare.Clock{{ID: id, Kind: kind}}}, &verify.Verification{Clocks: []verify.VerifiedClock{
			{ID: id, Verdict: verify.Faulty, Witness: "RDTSC@cpu", Faults: faults},
		}}},
	}
}

func TestFaultsOfAVerification(t *testing.T) {
	cpu, earlier := 3, 1
	warp := verify.ClockFault{Kind: verify.FaultWarp, Count: 17, WorstNS: 243, CPU: &cpu, EarlierCPU: &earlier}
	for name, test := range map[string]struct {
		document *result.Document
		kind     string // "" without a finding
		severity string
		evidence string
	}{
		"a warp": {verified("RDTSC@cpu", "counter", warp), "backwards", result.Error,
			"RDTSC@cpu went backwards from one CPU to another 17 times, by up to 243 ns (CPU 3 behind CPU 1)"},
		"a warp of the wall clock": {verified("CLOCK_REALTIME@vdso", "wall", verify.ClockFault{Kind: verify.FaultWarp, Count: 1, WorstNS: 40}), "backwards", result.Error,
			"CLOCK_REALTIME@vdso went backwards from one CPU to another 1 time, by up to 40 ns"},
		"backwards": {verified("CLOCK_MONOTONIC@vdso", "monotonic", verify.ClockFault{Kind: verify.FaultBackwards, Count: 2, WorstNS: 1}), "backwards", result.Error,
			"CLOCK_MONOTONIC@vdso went backwards 2 times, by up to 1 ns"},
		"the wall clock is set back":    {verified("CLOCK_REALTIME@vdso", "wall", verify.ClockFault{Kind: verify.FaultBackwards, Count: 1, WorstNS: 1e9}), "", "", ""},
		"the wall clock is set forward": {verified("CLOCK_REALTIME@vdso", "wall", verify.ClockFault{Kind: verify.FaultJump, Count: 1, WorstNS: 1e9}), "", "", ""},
		"a stall": {verified("CLOCK_MONOTONIC@vdso", "monotonic", verify.ClockFault{Kind: verify.FaultStall, Count: 1, WorstNS: 1e6}), "faulty-clock", result.Warn,
			"CLOCK_MONOTONIC@vdso stood still 1 time, by up to 1 ms, compared with RDTSC@cpu"},
		"outside": {verified("CLOCK_MONOTONIC@vdso", "monotonic", verify.ClockFault{Kind: verify.FaultOutside, Count: 5, WorstNS: 900}), "faulty-clock", result.Warn,
			"CLOCK_MONOTONIC@vdso contradicted its system call 5 times, by up to 900 ns"},
		"a failure":  {verified("ptp0@syscall", "wall", verify.ClockFault{Kind: verify.FaultFailed, Count: 1}), "", "", ""},
		"no faults":  {verified("RDTSC@cpu", "counter"), "", "", ""},
		"never done": {&result.Document{}, "", "", ""},
	} {
		findings := Findings(test.document)
		if test.kind == "" {
			require.Empty(t, findings, name)
			continue
		}
		require.Len(t, findings, 1, name)
		require.Equal(t, test.kind, findings[0].Kind, name)
		require.Equal(t, test.severity, findings[0].Severity, name)
		require.Equal(t, []string{test.evidence}, findings[0].Evidence, name)
	}
}

// A TSC that goes back is wrong, whatever the kernel log says: nothing that trusts it is suggested.
func TestTSCThatGoesBackIsNotTrusted(t *testing.T) {
	wrapped := []string{
		"[ 3302.2] clocksource: timekeeping watchdog on CPU1: Marking clocksource 'tsc' as unstable because the skew is too large:",
		"[ 3302.2] clocksource:                       'acpi_pm' wd_nsec: 312227950 wd_now: 92367f wd_last: 8128bd mask: ffffff",
		"[ 3302.2] clocksource:                       'tsc' cs_nsec: 4999196389 cs_now: 9e811223a9754 cs_last: 9e80e767df194 mask: ffffffffffffffff",
	}
	d := well()
	d.Host.ClockSource, d.Host.KernelLog.Lines = &result.ClockSource{Current: "acpi_pm", Available: []string{"acpi_pm"}}, wrapped
	require.Len(t, advise(d, "tsc-nowatchdog"), 1)
	compare.Into(d).Clocks[6].Resolution.Backwards = 1
	require.Empty(t, advise(d, "tsc-nowatchdog"), "the counter itself went back")
	compare.Into(d).Clocks[6].Resolution.Backwards = 0
	d.Put(verified("RDTSC@cpu", "counter", verify.ClockFault{Kind: verify.FaultWarp, Count: 1}).Sections[1])
	require.Empty(t, advise(d, "tsc-nowatchdog"))
}
