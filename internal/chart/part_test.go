package chart

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/words"
)

// addTrust adds the parts that say whether clocks can be trusted: of so many CPUs, and
// with or without faults.
func addTrust(d *result.Document, cpus int, faults bool) {
	one, two := 1, 2
	d.Verification = &result.Verification{DurationNS: 5e9, CPUs: []int{0, 1}}
	for i, id := range []string{
		"CLOCK_REALTIME@vdso", "CLOCK_MONOTONIC@vdso", "CLOCK_MONOTONIC_RAW@vdso", "CLOCK_BOOTTIME@vdso", "CLOCK_MONOTONIC_COARSE@vdso",
		"CLOCK_MONOTONIC@syscall", "RDTSC@cpu", "LFENCE+RDTSC@cpu", "CLOCK_THREAD_CPUTIME_ID@vdso", "ptp0@syscall",
	} {
		c := result.VerifiedClock{ID: id, Verdict: result.IsMonotonic, Reads: 1e8, Across: &result.Across{Checks: 1e6, Pairs: 2, SeesNS: 40 + 9*float64(i*i)}}
		switch {
		case id == "ptp0@syscall":
			c.Verdict, c.Across = result.Unverified, nil
		case id == "CLOCK_THREAD_CPUTIME_ID@vdso":
			c.Across = nil
		case faults && id == "RDTSC@cpu":
			c.Verdict, c.Across.SeesNS = result.Backwards, 0
			c.Faults = []result.ClockFault{{Kind: result.FaultBackwards, Count: 1, WorstNS: 1.5e6, CPU: &one}, {Kind: result.FaultWarp, Count: 12345, WorstNS: 243, CPU: &one, EarlierCPU: &two}}
		case faults && id == "CLOCK_MONOTONIC@vdso":
			c.Verdict, c.Across.SeesNS = result.OneCPU, 0
			c.Faults = []result.ClockFault{{Kind: result.FaultWarp, Count: 17, WorstNS: 243, CPU: &one, EarlierCPU: &two}}
		case faults && id == "CLOCK_REALTIME@vdso":
			c.Verdict = result.Faulty
			c.Faults = []result.ClockFault{{Kind: result.FaultResolution, Count: 1}}
		}
		d.Verification.Clocks = append(d.Verification.Clocks, c)
	}
	d.Skew = &result.Skew{DurationNS: 1e9}
	chance := rand.New(rand.NewPCG(1, 2))
	for _, id := range []string{"RDTSC@cpu", "CLOCK_MONOTONIC@vdso"} {
		c := result.SkewedClock{ID: id, TicksPerSecond: 2.6e9}
		for a := range cpus {
			for b := a + 1; b < cpus && (a == 0 || cpus <= 16); b++ {
				trip := 90 + 15*math.Abs(float64(a/4-b/4)) + 20*chance.Float64()
				p := result.CPUPair{CPU: a, OtherCPU: b, OffsetNS: 16*chance.Float64() - 8, BoundNS: trip / 2, RoundTripNS: trip, Rounds: 1e5}
				if faults && id == "RDTSC@cpu" && (a == cpus/2 || b == cpus/2) {
					p.OffsetNS += 243 * map[bool]float64{true: 1, false: -1}[b == cpus/2]
				}
				c.Pairs = append(c.Pairs, p)
			}
		}
		d.Skew.Clocks = append(d.Skew.Clocks, c)
	}
	d.Drift = &result.Drift{Reference: "CLOCK_MONOTONIC_RAW@vdso", DurationNS: 60e9}
	if faults {
		d.Drift.LoadedFromNS = 30e9
	}
	for i, id := range []string{"RDTSC@cpu", "CLOCK_MONOTONIC@vdso", "hpet@mmio"} {
		ppm := []float64{-0.35, 2.125, 0.02}[i]
		c := result.DriftedClock{ID: id, NominalHz: 1e9, Asleep: &result.DriftRate{PPM: &ppm, Hz: 1e9, IntervalPPM: 0.01, Confidence: 0.95}}
		ahead := 0.0
		for step := range 1000 {
			at := int64(step) * 60e6
			rate := ppm
			if faults && at > 30e9 && id == "RDTSC@cpu" {
				rate += 0.01
			}
			c.Points = append(c.Points, result.DriftPoint{AtNS: at, OffsetNS: ahead + 30*chance.NormFloat64()})
			ahead += rate * 1e-6 * 60e6
		}
		d.Drift.Clocks = append(d.Drift.Clocks, c)
	}
}

// trusted is a document of the parts alone.
func trusted(cpus int, faults bool) *result.Document {
	d := document(0)
	d.OtherClockSources = nil
	addTrust(d, cpus, faults)
	return d
}

func TestPartsAreDrawnOfEveryMachine(t *testing.T) {
	for _, cpus := range []int{2, 4, 8, 17, 192} {
		for _, faults := range []bool{false, true} {
			d, drawn := trusted(cpus, faults), 0
			for _, c := range Charts {
				if c.Drawable(d) {
					drawn++
					requireElement(t, c, d)
				}
			}
			require.Equal(t, 3, drawn)
		}
	}
}

func TestMirrorIsLogarithmicBothWays(t *testing.T) {
	m := mirrorOf([]float64{45, 1.5e6})
	require.Equal(t, mirror{10, 1e7}, m)
	require.InDelta(t, middle+1, m.place(100), 1e-9)
	require.InDelta(t, middle/2, m.place(0), 1e-9)
	labels := func(low float64) string {
		var all []string
		for _, tick := range m.Ticks(low, 7) {
			if tick.Label != "" {
				all = append(all, tick.Label)
			}
		}
		return strings.Join(all, ", ")
	}
	require.Equal(t, "10 ns, 100 ns, 1 µs, 10 µs, 100 µs, 1 ms, 10 ms", labels(0))
	require.Equal(t, "10 ns, 1 µs, 1 µs, 100 µs, 100 µs, 10 ms, 10 ms", labels(-7))
	require.Equal(t, mirror{1, 1000}, mirrorOf(nil))
	require.Equal(t, mirror{100, 1000}, mirrorOf([]float64{100}))
}

func TestRowsOfAVerificationTellTheVerdict(t *testing.T) {
	for _, c := range trusted(2, true).Verification.Clocks {
		want, named := held, ""
		if c.Across != nil {
			named = result.IsMonotonic + ", to " + words.Duration(c.Across.SeesNS)
		}
		switch c.ID {
		case "RDTSC@cpu":
			want, named = failed, "went backwards 1×, 1.5 ms, and 1 more"
		case "CLOCK_MONOTONIC@vdso":
			want, named = failed, "warped 17×, 243 ns"
		case "CLOCK_REALTIME@vdso":
			want, named = failed, "states another resolution"
		case "CLOCK_THREAD_CPUTIME_ID@vdso":
			want, named = alone, "monotonic on each thread"
		case "ptp0@syscall":
			want, named = unasked, result.Unverified
		}
		require.Equal(t, want, lookOfClock(c), c.ID)
		require.Equal(t, named, verdictWords(c))
	}
	part := result.VerifiedClock{Verdict: result.IsMonotonic, Across: &result.Across{Pairs: 1}}
	require.Equal(t, alone, lookOfClock(part))
	require.Equal(t, "monotonic as far as CPUs were compared", verdictWords(part))
	for _, kind := range result.ClockFaults {
		require.NotEmpty(t, faultNames[kind], kind)
	}
}

func TestPanelsOfASkew(t *testing.T) {
	few := panels(trusted(4, false))
	require.Len(t, few, 2)
	require.Positive(t, few[0].cell.X)
	require.Len(t, shelves(few), 1, "two small squares stand beside each other")
	require.Len(t, shelves(panels(trusted(8, false))), 2)
	many := panels(trusted(17, false))
	require.Zero(t, many[0].cell.X, "a strip")

	d := trusted(4, false)
	for i := range 5 {
		d.Skew.Clocks = append(d.Skew.Clocks, result.SkewedClock{ID: fmt.Sprint("clock", i), Pairs: d.Skew.Clocks[0].Pairs})
	}
	require.Len(t, panels(d), mostPanels)
	d.Skew.Clocks = []result.SkewedClock{{ID: "none"}, {ID: "itself", Pairs: []result.CPUPair{{CPU: 1, OtherCPU: 1}}}}
	require.Empty(t, panels(d))
	d.Skew.Clocks[1].Pairs = []result.CPUPair{{CPU: 1, OtherCPU: 2}, {CPU: 2, OtherCPU: 1}, {CPU: 1, OtherCPU: 3}}
	require.Len(t, panels(d)[0].pairs, 2, "a pair is drawn once")
}

// A strip names both CPUs of a pair where the pairs do not all begin with the same one.
func TestStripNamesThePairs(t *testing.T) {
	labels := func(pairs ...result.CPUPair) (all []string) {
		for _, tick := range pairTicks(pairs).Ticks(0, 0) {
			all = append(all, tick.Label)
		}
		return all
	}
	require.Equal(t, []string{"1", "2"}, labels(result.CPUPair{OtherCPU: 1}, result.CPUPair{OtherCPU: 2}))
	require.Equal(t, []string{"0, 1", "1, 2"}, labels(result.CPUPair{OtherCPU: 1}, result.CPUPair{CPU: 1, OtherCPU: 2}))
}

// A clock whose tick is longer than a round trip does not tell it.
func TestCoarseClockTellsNoRoundTrip(t *testing.T) {
	fine := result.CPUPair{OtherCPU: 1, RoundTripNS: 150, BoundNS: 75.4}
	coarse := result.CPUPair{OtherCPU: 2, BoundNS: 4e6}
	require.Equal(t, "round trip 150 ns", panel{pairs: []result.CPUPair{fine}}.roundTrips())
	require.Equal(t, "too coarse to tell a round trip", panel{pairs: []result.CPUPair{fine, coarse}}.roundTrips())
}

// What is left of a steady clock is nothing, whatever its rate; under another rate it
// is what came on top.
func TestResidualsAreWhatTheRateDoesNotExplain(t *testing.T) {
	ppm := 10.0
	drift := &result.Drift{Reference: "r", LoadedFromNS: 2e9, Clocks: []result.DriftedClock{
		{ID: "steady@cpu", Asleep: &result.DriftRate{PPM: &ppm}}, {ID: "bent@cpu", Asleep: &result.DriftRate{PPM: &ppm}},
		{ID: "unstated@cpu", Loaded: &result.DriftRate{}}, {ID: "unknown@cpu"}, {ID: "empty@cpu"},
	}}
	for i, rates := range [][2]float64{{10, 10}, {10, 12}, {0, 0}, {5, 5}} {
		for at := int64(0); at <= 4e9; at += 1e9 {
			offset := float64(min(at, 2e9))*rates[0]*1e-6 + float64(max(at-2e9, 0))*rates[1]*1e-6
			drift.Clocks[i].Points = append(drift.Clocks[i].Points, result.DriftPoint{AtNS: at, OffsetNS: offset})
		}
	}
	lines := driftLines(drift)
	require.Len(t, lines, 4)
	left := residuals(drift, lines)
	require.Len(t, left, 3)
	require.InDeltaSlice(t, []float64{0, 0, 0, 0, 0}, left[0].Values, 1e-6)
	require.InDeltaSlice(t, []float64{0, 0, 0, 2000, 4000}, left[1].Values, 1e-6)
	require.InDeltaSlice(t, []float64{0, 0, 0, 0, 0}, left[2].Values, 1e-6)
	require.InDelta(t, 40000, lines[0].Values[4], 1e-6, "the line itself is as it was")
}

// Documents of others may hold what no run leaves: it is drawn, or it is not, but
// nothing falls over.
func TestOddPartsAreDrawn(t *testing.T) {
	for _, size := range []float64{0, 1e-9, 1e18, -1e18, math.SmallestNonzeroFloat64} {
		d := trusted(4, true)
		some := math.Abs(size)
		if some < 1e-9 {
			some = 0 // only what may be negative may be less
		}
		for i := range d.Verification.Clocks {
			c := &d.Verification.Clocks[i]
			c.ID = strings.Repeat("<long>\x1b\n", 500)
			for j := range c.Faults {
				c.Faults[j].WorstNS, c.Faults[j].Count = some, 1<<60
			}
			if c.Across != nil && i%2 == 0 {
				c.Across.SeesNS = some
			}
		}
		for i := range d.Skew.Clocks {
			d.Skew.Clocks[i].ID = strings.Repeat("<long>", 500)
			for j := range d.Skew.Clocks[i].Pairs {
				p := &d.Skew.Clocks[i].Pairs[j]
				p.OffsetNS, p.BoundNS, p.RoundTripNS = size, some, some
				p.OtherCPU += 1e9
			}
		}
		d.Drift.Reference = strings.Repeat("<long>", 500)
		for i := range d.Drift.Clocks {
			c := &d.Drift.Clocks[i]
			c.ID = strings.Repeat(fmt.Sprint("<long>", i), 500)
			*c.Asleep.PPM = size
			c.Points = []result.DriftPoint{{AtNS: 0, OffsetNS: size}, {AtNS: int64(max(1, min(some, 1e18))), OffsetNS: -size}}[:1+i%2]
		}
		for _, c := range Charts {
			if c.Drawable(d) {
				var drawn bytes.Buffer
				require.NoError(t, c.SVG(&drawn, d))
				for _, wrong := range []string{"NaN", "Inf", "<long>", "\x1b"} {
					require.NotContains(t, drawn.String(), wrong, "%s of %v", c.Name, size)
				}
			}
		}
	}
	for _, d := range []*result.Document{
		{Verification: &result.Verification{}, Skew: &result.Skew{}, Drift: &result.Drift{}},
		{Skew: &result.Skew{Clocks: []result.SkewedClock{{ID: "c"}}}, Drift: &result.Drift{Clocks: []result.DriftedClock{{ID: "c"}}}},
	} {
		for _, c := range Charts {
			require.False(t, c.Drawable(d), c.Name)
		}
	}
}
