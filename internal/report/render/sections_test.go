package render

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/test/made"
	"github.com/timebench/timebench/test/schema"
)

// unmeasured is the document of a run that measured no cost of any clock.
func unmeasured() *result.Document {
	d := fixed()
	d.Settings = result.Settings{TimeNS: 5e9, Pin: "none", Workers: "threads"}
	d.Warnings, compare.Into(d).Clocks, compare.Into(d).FloorNS = nil, []compare.Clock{}, 0
	return d
}

// trusted has the results of all commands but compare on a machine without faults.
func trusted() *result.Document {
	d := with(unmeasured(), made.Trusted(4, false))
	d.Put(made.Runtimes(2)) // in few rows of a diff
	return d
}

func driftRate(ppm, nominal, interval float64) *drift.DriftRate {
	return &drift.DriftRate{
		PPM: &ppm, Hz: nominal * (1 + ppm/1e6), IntervalPPM: interval, Confidence: 0.95, ResidualNS: 14.2,
		WorstResidualNS: 65, Readings: 4900, SpanNS: 4_900_000_000,
	}
}

// mistrusted has their results on a machine with many faults, after an interruption.
func mistrusted() *result.Document {
	d := unmeasured()
	d.Interrupted = true
	one, two, three := 1, 2, 3
	clock := func(id, verdict string, faults ...verify.ClockFault) verify.VerifiedClock {
		return verify.VerifiedClock{ID: id, Verdict: verdict, Reads: 1_000_000, Repeats: 3, TickNS: 1,
			Witness: "RDTSC@cpu", Across: &verify.Across{Checks: 1000, Pairs: 20}, Faults: faults}
	}
	v := &verify.Verification{DurationNS: 1_250_000_000, CPUs: []int{0, 1, 2, 3, 8, 10}, LostCPUs: []int{10}}
	v.Clocks = []verify.VerifiedClock{
		clock("CLOCK_MONOTONIC@vdso", verify.OneCPU, verify.ClockFault{Kind: verify.FaultWarp, Count: 17, WorstNS: 243,
			CPU: &one, EarlierCPU: &two}),
		clock("RDTSC@cpu", verify.Backwards, verify.ClockFault{Kind: verify.FaultBackwards, Count: 1,
			WorstNS: 1_500_000, CPU: &three},
			verify.ClockFault{Kind: verify.FaultWarp, Count: 12345, WorstNS: 2_500_000, CPU: &one, EarlierCPU: &three}),
		clock("CLOCK_REALTIME@vdso", verify.Faulty, verify.ClockFault{Kind: verify.FaultStall, Count: 2, WorstNS: 3.2e9,
			CPU: &one},
			verify.ClockFault{Kind: verify.FaultJump, Count: 1, WorstNS: 4.1e6}),
		clock("CLOCK_BOOTTIME@vdso", verify.Faulty, verify.ClockFault{Kind: verify.FaultOutside, Count: 9,
			WorstNS: 1234, CPU: &two},
			verify.ClockFault{Kind: verify.FaultResolution, Count: 1, WorstNS: 3_999_999}),
		clock("hpet@mmio", verify.Faulty, verify.ClockFault{Kind: verify.FaultFailed, Count: 1, Text: "no such device",
			CPU: &one}),
		clock("CLOCK_THREAD_CPUTIME_ID@vdso", verify.IsMonotonic),
		clock("QueryUnbiasedInterruptTimePrecise@winapi", verify.NotCompared),
		{ID: "ptp0@syscall", Verdict: verify.Unverified, Reason: "/dev/ptp0: permission denied"},
		{ID: "ptp1@syscall", Verdict: verify.Unverified, Reason: "/dev/ptp0: permission denied"},
	}
	v.Clocks[3].Bracket = &verify.Bracket{Against: "CLOCK_BOOTTIME@syscall", Brackets: 10, OffsetNS: 1_234_567,
		BoundNS: 88, AgainstResolutionNS: 4e6}
	v.Clocks[5].Across, v.Clocks[5].Reads, v.Clocks[5].Repeats = nil, 0, 0
	v.Clocks[6].Reason, v.Clocks[6].Across.Pairs = "6 of 20 comparisons of one CPU with another were made; use a longer --duration", 6
	d.Put(v)

	const gone = "CPU 10 went offline"
	far := skew.SkewedClock{ID: "RDTSC@cpu", TicksPerSecond: 2596122000, Reason: gone, Pairs: []skew.CPUPair{
		{CPU: 0, OtherCPU: 1, OffsetNS: -1.75, BoundNS: 60, RoundTripNS: 120, Rounds: 100_000},
		{CPU: 0, OtherCPU: 2, OffsetNS: -243, BoundNS: 75, RoundTripNS: 150, Rounds: 100_000},
		{CPU: 1, OtherCPU: 2, OffsetNS: -0.75, BoundNS: 60, RoundTripNS: 120, Rounds: 100_000},
	}, MissingPairs: []skew.MissingPair{{CPU: 0, OtherCPU: 10, Reason: gone}, {CPU: 1, OtherCPU: 10, Reason: gone}}}
	d.Put(&skew.Skew{DurationNS: 1e9, CPUs: []int{0, 1, 2}, LostCPUs: []int{10}, Clocks: []skew.SkewedClock{
		far, {ID: "hpet@mmio", Reason: "/dev/hpet: no such file or directory"},
	}})
	unstated := driftRate(0, 24e6, 0.5)
	unstated.PPM = nil
	d.Put(&drift.Drift{
		Reference: "CLOCK_MONOTONIC@vdso", DurationNS: 10e9, LoadedFromNS: 5e9,
		Clocks: []drift.DriftedClock{
			{ID: "RDTSC@cpu", NominalHz: 2596122000.5, Idle: driftRate(12.7512, 2596122000, 0.021),
				Loaded: driftRate(483.2, 2596122000, 1.5)},
			{ID: "hpet@mmio", Idle: unstated, Loaded: unstated},
			{ID: "ptp0@syscall", NominalHz: 1e9, Reason: "/dev/ptp0: permission denied"},
		},
	})
	d.Put(made.Counter(true))
	d.Put(made.Runtimes(6))
	profiled := made.Profile(4)
	profiled.Scope, profiled.Started, profiled.StartedStatus, profiled.SeesKernel = profile.Command, "java", 3, false
	d.Put(profiled)
	d.Put(made.Wake(3, true))
	return d
}

// with adds the parts of another document to a document, in the order in which a reader puts them.
func with(d, parts *result.Document) *result.Document {
	for _, kind := range sections.All {
		if s := parts.Section(kind.Key()); s != nil && kind.Key() != compare.Kind.Key() {
			d.Put(s)
		}
	}
	return d
}

// both is a document of costs and of all parts.
func both() *result.Document { return with(fixed(), trusted()) }

// whole is a document of a slow machine with the parts of a document.
func whole(parts *result.Document) *result.Document { return with(onHPET(), parts) }

// each returns a document for each section, by the command that measured it.
func each(d *result.Document) map[string]*result.Document {
	all := map[string]*result.Document{}
	for _, kind := range sections.All {
		if kind.Key() == compare.Kind.Key() {
			continue
		}
		alone := *d
		alone.Sections = slices.DeleteFunc(slices.Clone(d.Sections),
			func(s result.Section) bool { return s.Key() != kind.Key() && s.Key() != compare.Kind.Key() })
		all[kind.Command] = &alone
	}
	return all
}

// TestEverythingStandsInEveryFormat shows them to people; TestNoCellOfCSVIsAFormula and
// TestHostileDocumentReadsBackAsItWas, to programs.
func TestEverySectionHasMadeResults(t *testing.T) {
	for name, d := range map[string]*result.Document{"made.Trusted": trusted(), "mistrusted": mistrusted()} {
		for _, kind := range sections.All {
			require.NotNil(t, d.Section(kind.Key()), "give the section of `%s` to %s", kind.Command, name)
		}
		for _, d := range each(d) {
			var document bytes.Buffer
			require.NoError(t, d.Write(&document))
			schema.Check(t, document.Bytes())
		}
	}
}

// odd are documents that no run writes and that a reader accepts.
func odd() map[string]*result.Document {
	all := map[string]*result.Document{}
	add := func(name string, change func(d *result.Document)) {
		d := unmeasured()
		change(d)
		all[name] = d
	}
	add("empty lists", func(d *result.Document) {
		d.Put(&verify.Verification{CPUs: []int{}, Clocks: []verify.VerifiedClock{}})
		d.Put(&skew.Skew{CPUs: []int{}, Clocks: []skew.SkewedClock{}})
		d.Put(&drift.Drift{Reference: "r", Clocks: []drift.DriftedClock{}})
	})
	add("zero everything", func(d *result.Document) {
		cpu := 0
		c := verify.VerifiedClock{ID: "c", Verdict: verify.Faulty, Across: &verify.Across{}, Bracket: &verify.Bracket{}}
		for _, kind := range verify.ClockFaults {
			c.Faults = append(c.Faults, verify.ClockFault{Kind: kind, Count: 1, CPU: &cpu, EarlierCPU: &cpu})
		}
		d.Put(&verify.Verification{CPUs: []int{0}, Clocks: []verify.VerifiedClock{c, {ID: "d", Verdict: verify.Faulty}}})
		d.Put(&skew.Skew{CPUs: []int{0}, Clocks: []skew.SkewedClock{{ID: "c", Pairs: []skew.CPUPair{{}}},
			{ID: "d", Pairs: []skew.CPUPair{{}, {CPU: 1, OtherCPU: 1}, {CPU: 1}}}}})
		d.Put(&drift.Drift{Reference: "r",
			Clocks: []drift.DriftedClock{{ID: "c", Idle: &drift.DriftRate{},
				Loaded: &drift.DriftRate{PPM: new(float64)}, Points: []drift.DriftPoint{{}, {}}}}})
	})
	for _, size := range []float64{0, math.SmallestNonzeroFloat64, 1e-9, 1e18, -1e18} {
		full, costs, parts := made.Full(), sampled(), mistrusted()
		compare.Into(costs).Clocks[0].Distribution = nil // whose buckets ascend
		drift.Of(parts).Clocks[0].Points = []drift.DriftPoint{{AtNS: 1}, {AtNS: 1e18}}
		for name, d := range map[string]*result.Document{"every key": full, "costs": costs, "parts": parts} {
			setSize(reflect.ValueOf(d).Elem(), "", size, d == full)
			all[fmt.Sprintf("%s of the size %v", name, size)] = d
		}
	}
	return all
}

// setSize gives the figures within a value a size. Whole numbers may be the identity of an element of a list. is is the
// tag of the value's field.
func setSize(v reflect.Value, is string, size float64, whole bool) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			setSize(v.Elem(), is, size, whole)
		}
	case reflect.Slice:
		for i := range v.Len() {
			setSize(v.Index(i), is, size, whole && v.Type().Elem().Kind() != reflect.Int) // counts that add up
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				setSize(v.Field(i), field.Tag.Get("is"), size, whole)
			}
		}
	case reflect.Int, reflect.Int64:
		if whole && math.Abs(size) >= 1 {
			v.SetInt(int64(permitted(size, is)))
		}
	case reflect.Float64:
		if is != "share" || math.Abs(size) < 1e-9 { // shares add up
			v.SetFloat(permitted(size, is))
		}
	}
}

// permitted returns the nearest size that a tag permits.
func permitted(size float64, is string) float64 {
	switch {
	case is == "positive":
		return max(1, math.Abs(size))
	case (is == "" || is == "share") && math.Abs(size) < 1e-9:
		return 0
	case is == "":
		return math.Abs(size)
	}
	return size
}

func TestOddPartsCanBeRendered(t *testing.T) {
	for name, d := range odd() {
		require.NoError(t, d.Write(io.Discard), "%s: the loader refuses it, so it need not be rendered", name)
		whole := d
		for _, d := range append(slices.Collect(maps.Values(each(d))), d) {
			for _, format := range Formats {
				if format.Name == "html" && d != whole {
					format = unillustrated(OfDocument)
				}
				if format.Name == "bench" && len(samples(d)) == 0 {
					require.ErrorIs(t, Bench(io.Discard, d), errNoSamples)
					continue
				}
				got := requireSound(t, format, d, name)
				if format.Name == "csv" {
					for _, one := range strings.Split(got, "\n\n") {
						_, err := csv.NewReader(strings.NewReader(one)).ReadAll()
						require.NoError(t, err, "every line has all columns")
					}
				}
			}
		}
	}
}

// requireSound returns a document or a diff in a format. It requires that all figures are finite, and that the format
// obeys no text.
func requireSound[T any](t *testing.T, format Format[T], of T, name string) string {
	t.Helper()
	var got bytes.Buffer
	require.NoError(t, format.Write(&got, of), "%s as %s", name, format.Name)
	never := []string{"NaN", "Inf"}
	switch format.Name {
	case "table":
		never = append(never, "\x1b", "\r")
	case "markdown":
		never = append(never, "\x1b", "\r", "<img")
	case "html":
		never = append(never, "<img")
	}
	for _, text := range never {
		require.NotContains(t, got.String(), text, "%s as %s", name, format.Name)
	}
	return got.String()
}

// formatsOf returns the formats of a command that measures one section.
func formatsOf(command string) []Format[*result.Document] {
	i := slices.IndexFunc(sections.All, func(kind section.Kind) bool { return kind.Command == command })
	return FormatsOf(sections.All[i].New())
}
