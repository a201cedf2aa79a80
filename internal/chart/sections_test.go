package chart

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/drift"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/skew"
	"github.com/timebench/timebench/internal/verify"
)

// addTrust adds the parts that say whether clocks can be trusted: of so many CPUs, and
// with or without faults.
func addTrust(d *result.Document, cpus int, faults bool) {
	one, two := 1, 2
	d.Put(&verify.Verification{DurationNS: 5e9, CPUs: []int{0, 1}})
	for i, id := range []string{
		"CLOCK_REALTIME@vdso", "CLOCK_MONOTONIC@vdso", "CLOCK_MONOTONIC_RAW@vdso", "CLOCK_BOOTTIME@vdso", "CLOCK_MONOTONIC_COARSE@vdso",
		"CLOCK_MONOTONIC@syscall", "RDTSC@cpu", "LFENCE+RDTSC@cpu", "CLOCK_THREAD_CPUTIME_ID@vdso", "ptp0@syscall",
	} {
		c := verify.VerifiedClock{ID: id, Verdict: verify.IsMonotonic, Reads: 1e8, Across: &verify.Across{Checks: 1e6, Pairs: 2, SeesNS: 40 + 9*float64(i*i)}}
		switch {
		case id == "ptp0@syscall":
			c.Verdict, c.Across = verify.Unverified, nil
		case id == "CLOCK_THREAD_CPUTIME_ID@vdso":
			c.Across = nil
		case faults && id == "RDTSC@cpu":
			c.Verdict, c.Across.SeesNS = verify.Backwards, 0
			c.Faults = []verify.ClockFault{{Kind: verify.FaultBackwards, Count: 1, WorstNS: 1.5e6, CPU: &one}, {Kind: verify.FaultWarp, Count: 12345, WorstNS: 243, CPU: &one, EarlierCPU: &two}}
		case faults && id == "CLOCK_MONOTONIC@vdso":
			c.Verdict, c.Across.SeesNS = verify.OneCPU, 0
			c.Faults = []verify.ClockFault{{Kind: verify.FaultWarp, Count: 17, WorstNS: 243, CPU: &one, EarlierCPU: &two}}
		case faults && id == "CLOCK_REALTIME@vdso":
			c.Verdict = verify.Faulty
			c.Faults = []verify.ClockFault{{Kind: verify.FaultResolution, Count: 1}}
		}
		verify.Of(d).Clocks = append(verify.Of(d).Clocks, c)
	}
	d.Put(&skew.Skew{DurationNS: 1e9})
	chance := rand.New(rand.NewPCG(1, 2))
	for _, id := range []string{"RDTSC@cpu", "CLOCK_MONOTONIC@vdso"} {
		c := skew.SkewedClock{ID: id, TicksPerSecond: 2.6e9}
		for a := range cpus {
			for b := a + 1; b < cpus && (a == 0 || cpus <= 16); b++ {
				trip := 90 + 15*math.Abs(float64(a/4-b/4)) + 20*chance.Float64()
				p := skew.CPUPair{CPU: a, OtherCPU: b, OffsetNS: 16*chance.Float64() - 8, BoundNS: trip / 2, RoundTripNS: trip, Rounds: 1e5}
				if faults && id == "RDTSC@cpu" && (a == cpus/2 || b == cpus/2) {
					p.OffsetNS += 243 * map[bool]float64{true: 1, false: -1}[b == cpus/2]
				}
				c.Pairs = append(c.Pairs, p)
			}
		}
		skew.Of(d).Clocks = append(skew.Of(d).Clocks, c)
	}
	d.Put(&drift.Drift{Reference: "CLOCK_MONOTONIC_RAW@vdso", DurationNS: 60e9})
	if faults {
		drift.Of(d).LoadedFromNS = 30e9
	}
	for i, id := range []string{"RDTSC@cpu", "CLOCK_MONOTONIC@vdso", "hpet@mmio"} {
		ppm := []float64{-0.35, 2.125, 0.02}[i]
		c := drift.DriftedClock{ID: id, NominalHz: 1e9, Asleep: &drift.DriftRate{PPM: &ppm, Hz: 1e9, IntervalPPM: 0.01, Confidence: 0.95}}
		ahead := 0.0
		for step := range 1000 {
			at := int64(step) * 60e6
			rate := ppm
			if faults && at > 30e9 && id == "RDTSC@cpu" {
				rate += 0.01
			}
			c.Points = append(c.Points, drift.DriftPoint{AtNS: at, OffsetNS: ahead + 30*chance.NormFloat64()})
			ahead += rate * 1e-6 * 60e6
		}
		drift.Of(d).Clocks = append(drift.Of(d).Clocks, c)
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

// Documents of others may hold what no run leaves: it is drawn, or it is not, but
// nothing falls over.
func TestOddPartsAreDrawn(t *testing.T) {
	for _, size := range []float64{0, 1e-9, 1e18, -1e18, math.SmallestNonzeroFloat64} {
		d := trusted(4, true)
		some := math.Abs(size)
		if some < 1e-9 {
			some = 0 // only what may be negative may be less
		}
		for i := range verify.Of(d).Clocks {
			c := &verify.Of(d).Clocks[i]
			c.ID = strings.Repeat("<long>\x1b\n", 500)
			for j := range c.Faults {
				c.Faults[j].WorstNS, c.Faults[j].Count = some, 1<<60
			}
			if c.Across != nil && i%2 == 0 {
				c.Across.SeesNS = some
			}
		}
		for i := range skew.Of(d).Clocks {
			skew.Of(d).Clocks[i].ID = strings.Repeat("<long>", 500)
			for j := range skew.Of(d).Clocks[i].Pairs {
				p := &skew.Of(d).Clocks[i].Pairs[j]
				p.OffsetNS, p.BoundNS, p.RoundTripNS = size, some, some
				p.OtherCPU += 1e9
			}
		}
		drift.Of(d).Reference = strings.Repeat("<long>", 500)
		for i := range drift.Of(d).Clocks {
			c := &drift.Of(d).Clocks[i]
			c.ID = strings.Repeat(fmt.Sprint("<long>", i), 500)
			*c.Asleep.PPM = size
			c.Points = []drift.DriftPoint{{AtNS: 0, OffsetNS: size}, {AtNS: int64(max(1, min(some, 1e18))), OffsetNS: -size}}[:1+i%2]
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
		{Sections: []result.Section{&verify.Verification{}, &skew.Skew{}, &drift.Drift{}}},
		{Sections: []result.Section{&skew.Skew{Clocks: []skew.SkewedClock{{ID: "c"}}}, &drift.Drift{Clocks: []drift.DriftedClock{{ID: "c"}}}}},
	} {
		for _, c := range Charts {
			require.False(t, c.Drawable(d), c.Name)
		}
	}
}
