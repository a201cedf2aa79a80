// Package made creates result documents of any size, for tests that use them.
package made

import (
	"math"
	"math/rand/v2"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/counter"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/show/picture"
)

// Document returns a document of a number of clocks, measured with these numbers of threads. The clocks are in crowds,
// as real ones are.
func Document(clocks int, threads ...int) *result.Document {
	d := &result.Document{
		Schema: result.Schema, Tool: result.Tool{Version: "test"},
		Host:     result.Host{OS: "linux", Arch: "amd64", CPU: result.CPU{Model: "a CPU", Logical: 2, Usable: 2}},
		Settings: result.Settings{Threads: threads, Rounds: 10, TimeNS: 1e8, Pin: "none", Workers: "threads"},
	}
	for i := range clocks {
		cost := []float64{2.3, 20, 20.1, 20.2, 150, 152, 500}[i%7] + float64(i)/50
		c := compare.Clock{
			ID:   strings.Repeat("C", 5+i%20) + "@" + picture.Looks[i%len(picture.Looks)].Path,
			Path: picture.Looks[i%len(picture.Looks)].Path, Available: true,
			Latency:    &compare.Latency{MedianNS: cost, LowNS: cost * 0.99, HighNS: cost * 1.2, Confidence: 0.95, MinNS: cost},
			Resolution: &compare.Resolution{TickNS: 1, FinerThanRead: i%3 > 0},
		}
		c.Layers = []compare.Layer{{Name: "empty call", NS: cost / 4}, {Name: "read of the counter", NS: cost * 3 / 4}}
		c.Distribution = &compare.Distribution{Reads: 100_000, Buckets: []compare.Bucket{
			{UpToNS: cost, Reads: 90_000}, {UpToNS: cost * 1.1, Reads: 9_900}, {UpToNS: cost * 100, Reads: 100},
		}}
		for _, n := range threads {
			c.Throughput = append(c.Throughput, compare.Throughput{Threads: n, ReadsPerSecond: 1e9 / cost,
				NSPerRead: cost * float64(n)})
		}
		compare.Into(d).Clocks = append(compare.Into(d).Clocks, c)
	}
	d.Host.ClockSource = &result.ClockSource{Current: "tsc", Available: []string{"tsc", "hpet", "acpi_pm"}}
	// One of the experiments ended early.
	compare.Into(d).OtherClockSources = []compare.Experiment{{ClockSource: "hpet", Clocks: compare.Of(d).Clocks},
		{ClockSource: "acpi_pm", Clocks: compare.Of(d).Clocks[:clocks/2]}}
	d.Put(Counter(clocks%2 == 0))
	addTrust(d, 2+clocks%7, clocks%2 == 0)
	d.Put(Runtimes(clocks))
	d.Put(Profile(clocks))
	d.Put(Wake(clocks, clocks%2 == 0))
	return d
}

// Counter returns the section of a counter that a program may read; or, with faults, may not.
func Counter(faults bool) *counter.Counter {
	c := &counter.Counter{Clock: "RDTSC@cpu", HZ: 2_596_151_858, HZBound: 1038, Reference: "CLOCK_MONOTONIC_RAW@vdso",
		Sources: []counter.CounterRate{{Name: "CPUID 16H", HZ: 2.6e9, Nominal: true},
			{Name: "kernel log, Refined TSC", HZ: 2_596_152_000}},
		Reasons: []counter.CounterReason{{Evidence: "a read takes 9.47 ns, so it does not trap", Conclusion: counter.Yes}}}
	if faults {
		c.Sources = append(c.Sources, counter.CounterRate{Name: "CPUID 15H", HZ: 2.4e9})
		c.Reasons = append(c.Reasons,
			counter.CounterReason{Evidence: "the CPUs were not compared (`timebench skew`)", Conclusion: counter.NotProven},
			counter.CounterReason{Evidence: "the kernel marked the TSC unstable: the TSC jumped forward", Conclusion: counter.No})
	}
	c.Conclude()
	return c
}

// Trusted returns a document of the parts alone.
func Trusted(cpus int, faults bool) *result.Document {
	d := Document(0)
	compare.Into(d).OtherClockSources = nil
	d.Put(Counter(faults))
	d.Put(Runtimes(5))
	d.Put(Profile(3))
	d.Put(Wake(5, faults))
	addTrust(d, cpus, faults)
	return d
}

// addTrust adds the parts on whether clocks can be trusted, for a number of CPUs, with or without faults.
func addTrust(d *result.Document, cpus int, faults bool) {
	one, two, all := 1, 2, make([]int, cpus)
	for i := range all {
		all[i] = i
	}
	d.Put(&verify.Verification{DurationNS: 5e9, CPUs: all})
	for i, id := range []string{
		"CLOCK_REALTIME@vdso", "CLOCK_MONOTONIC@vdso", "CLOCK_MONOTONIC_RAW@vdso", "CLOCK_BOOTTIME@vdso",
		"CLOCK_MONOTONIC_COARSE@vdso",
		"CLOCK_MONOTONIC@syscall", "RDTSC@cpu", "LFENCE+RDTSC@cpu", "CLOCK_THREAD_CPUTIME_ID@vdso", "ptp0@syscall",
	} {
		c := verify.VerifiedClock{ID: id, Verdict: verify.IsMonotonic, Reads: 1e8,
			Across: &verify.Across{Checks: 1e6, Pairs: 2, SmallestWarpNS: 40 + 9*float64(i*i)}}
		switch {
		case id == "ptp0@syscall":
			c.Verdict, c.Across = verify.Unverified, nil
		case id == "CLOCK_THREAD_CPUTIME_ID@vdso":
			c.Across = nil
		case faults && id == "RDTSC@cpu":
			c.Verdict, c.Across.SmallestWarpNS = verify.Backwards, 0
			c.Faults = []verify.ClockFault{{Kind: verify.FaultBackwards, Count: 1, WorstNS: 1.5e6, CPU: &one},
				{Kind: verify.FaultWarp, Count: 12345, WorstNS: 243, CPU: &one, EarlierCPU: &two}}
		case faults && id == "CLOCK_MONOTONIC@vdso":
			c.Verdict, c.Across.SmallestWarpNS = verify.OneCPU, 0
			c.Faults = []verify.ClockFault{{Kind: verify.FaultWarp, Count: 17, WorstNS: 243, CPU: &one, EarlierCPU: &two}}
		case faults && id == "CLOCK_REALTIME@vdso":
			c.Verdict = verify.Faulty
			c.Faults = []verify.ClockFault{{Kind: verify.FaultResolution, Count: 1}}
		}
		verify.Of(d).Clocks = append(verify.Of(d).Clocks, c)
	}
	d.Put(&skew.Skew{DurationNS: 1e9, CPUs: all})
	chance := rand.New(rand.NewPCG(1, 2))
	for _, id := range []string{"RDTSC@cpu", "CLOCK_MONOTONIC@vdso"} {
		c := skew.SkewedClock{ID: id, TicksPerSecond: 2.6e9}
		for a := range cpus {
			for b := a + 1; b < cpus && (a == 0 || cpus <= 16); b++ {
				trip := rounded(90 + 15*math.Abs(float64(a/4-b/4)) + 20*chance.Float64())
				p := skew.CPUPair{CPU: a, OtherCPU: b, OffsetNS: rounded(16*chance.Float64() - 8), BoundNS: trip / 2,
					RoundTripNS: trip, Rounds: 1e5}
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
		c := drift.DriftedClock{ID: id, NominalHz: 1e9,
			Idle: &drift.DriftRate{PPM: &ppm, Hz: 1e9, IntervalPPM: 0.01, Confidence: 0.95}}
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
