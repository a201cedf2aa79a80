package counter

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/test/need"
)

// The frequency follows from the values of two brackets, and the bound from their widths.
func TestFrequencyOfBrackets(t *testing.T) {
	bracket := func(low, value, high int64) observe.Tightest {
		return observe.Tightest{Bracket: observe.Bracket{Low: low, Value: value, High: high}, Brackets: 1}
	}
	m := &Measurement{first: bracket(1000, 5_000_000, 1040), reference: clock.Clock{Hz: 1e9, ReportedNS: func() float64 { return 0 }}}
	hz, bound := m.rate(bracket(1e9+1000, 5_000_000+2_596_000_000, 1e9+1040))
	require.InDelta(t, 2.596e9, hz, 1)
	require.InDelta(t, 2.596e9*43e-9, bound, 1, "40 ns of brackets, 2 ns of the reference, 0.8 ns of the counter")
	for name, last := range map[string]observe.Tightest{
		"no bracket": {}, "went back": bracket(2e9, 1, 2e9), "too short": bracket(2000, 5_002_000, 2040),
	} {
		hz, _ = m.rate(last)
		require.Zero(t, hz, name)
	}
	m.reference.Hz = 1e7 // as QueryPerformanceCounter
	hz, _ = m.rate(bracket(1e7+1000, 5_000_000+2_596_000_000, 1e7+1040))
	require.InDelta(t, 2.596e9, hz, 1)
}

// Where there is a counter, its frequency is measured while the program does something else.
func TestMeasurement(t *testing.T) {
	require.Nil(t, (*Measurement)(nil).End())
	m := Begin()
	if m == nil {
		need.Missing(t, "counter", "user mode may read none")
	}
	time.Sleep(5 * time.Millisecond)
	c := m.End()
	require.Equal(t, m.counter.ID, c.Clock)
	require.Equal(t, c.HZ > 0, c.Reference != "")
	require.Equal(t, c.HZ > 0, c.HZBound > 0)
}

// A source may differ by 500 ppm and the bound of the measurement; a nominal one by 10 %.
func TestContradiction(t *testing.T) {
	c := &Counter{Clock: "RDTSC@cpu", HZ: 2e9, HZBound: 2e4, Sources: []CounterRate{
		{Name: "near", HZ: 2e9 * (1 + 505e-6)}, {Name: "far", HZ: 2e9 * (1 - 520e-6)},
		{Name: "name", HZ: 2.19e9, Nominal: true}, {Name: "another name", HZ: 2.21e9, Nominal: true},
	}}
	require.False(t, c.Contradicts(c.Sources[1]), "nothing is known before Conclude")
	c.Conclude()
	require.InDelta(t, -520, c.Sources[1].PPM, 0.01)
	for i, want := range []bool{false, true, false, true} {
		require.Equal(t, want, c.Contradicts(c.Sources[i]), c.Sources[i].Name)
	}
}

// A reason against it decides, then a reason that proves nothing. The answer has the first of them.
func TestAnswer(t *testing.T) {
	reasons := func(all ...string) (reasons []CounterReason) {
		for i, conclusion := range all {
			reasons = append(reasons, CounterReason{Evidence: "reason " + string(rune('A'+i)), Conclusion: conclusion})
		}
		return reasons
	}
	const question = "May a program read the CPU's counter? "
	for _, test := range []struct {
		c    Counter
		want string
	}{
		{Counter{HZ: 2_596_151_858, HZBound: 1038, Reasons: reasons(Yes, Yes)}, "Yes: 2,596.152 MHz ± 0.4 ppm."},
		{Counter{HZ: 2_596_151_858, HZBound: 9, Reasons: reasons(Yes)}, "Yes: 2,596.152 MHz ± 0.193 ppm."},
		{Counter{HZ: 2_596_151_858, HZBound: 9, OfKernel: true, Reasons: reasons(Yes)}, "Yes: 2,596.152 MHz as the kernel counts."},
		{Counter{Reasons: reasons(Yes)}, "Yes."},
		{Counter{HZ: 1e9, Reasons: reasons(Yes, NotProven, No, No)}, "No: reason C."},
		{Counter{HZ: 1e9, Reasons: reasons(Yes, NotProven)}, "Not proven: reason B."},
		{Counter{HZ: 1e9}, "Not proven."},
	} {
		test.c.Conclude()
		require.Equal(t, question+test.want, test.c.Answer())
	}
}

// The verdict counts, and a change of the frequency that NTP could not correct, as after a migration.
func TestChanges(t *testing.T) {
	old := &Counter{Clock: "RDTSC@cpu", Verdict: Yes, HZ: 2.6e9, HZBound: 1000}
	count := func(new *Counter) []int {
		all, changed := changesOf(old, new).Value.Count()
		return []int{all, changed}
	}
	require.Equal(t, []int{1, 0}, count(&Counter{Clock: "RDTSC@cpu", Verdict: Yes, HZ: 2.6001e9}))
	require.Equal(t, []int{1, 1}, count(&Counter{Clock: "RDTSC@cpu", Verdict: Yes, HZ: 2.2e9}))
	require.Equal(t, []int{1, 0}, count(&Counter{Clock: "RDTSC@cpu", Verdict: Yes, HZ: 2.603e9, HZBound: 2e6}),
		"within 500 ppm and the bound of the new run")
	require.Equal(t, []int{1, 1}, count(&Counter{Clock: "RDTSC@cpu", Verdict: NotProven}))
	require.Equal(t, []int{0, 0}, count(&Counter{Clock: "CNTVCT_EL0@cpu", Verdict: Yes, HZ: 24e6}), "another CPU")
}
