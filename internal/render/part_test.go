package render

import (
	"bytes"
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/table"
	"github.com/timebench/timebench/internal/words"
	"github.com/timebench/timebench/test/schema"
)

// unmeasured is the document of a run that measured no cost of any clock.
func unmeasured() *result.Document {
	d := fixed()
	d.Settings = result.Settings{TimeNS: 5e9, Pin: "none", Workers: "threads"}
	d.Warnings, d.Clocks, d.FloorNS = nil, []result.Clock{}, 0
	return d
}

// trusted is what verify, skew and drift leave on a machine where all is well.
func trusted() *result.Document {
	d := unmeasured()
	d.Verification = &result.Verification{DurationNS: 5e9, CPUs: []int{0, 1, 2, 3}, Load: true, Relations: []result.Relation{
		{Clock: "CLOCK_REALTIME@vdso", Against: "CLOCK_MONOTONIC@vdso", ChangeNS: -2, BoundNS: 61.5, PPM: -0.0004, Steady: true, Held: true},
		{Clock: "CLOCK_MONOTONIC_RAW@vdso", Against: "CLOCK_MONOTONIC@vdso", ChangeNS: 63750, BoundNS: 61.5, PPM: 12.75, Held: true},
	}}
	for i, id := range []string{"CLOCK_REALTIME@vdso", "CLOCK_MONOTONIC@vdso", "CLOCK_MONOTONIC_COARSE@vdso", "RDTSC@cpu"} {
		c := result.VerifiedClock{
			ID: id, Verdict: result.IsMonotonic, Reads: 123_456_789, TickNS: 1, Witness: "RDTSC@cpu",
			Across: &result.Across{Checks: 5e6, Pairs: 12, SeesNS: 57.25 + float64(i)},
		}
		if call, isVDSO := strings.CutSuffix(id, "@vdso"); isVDSO {
			c.Bracket = &result.Bracket{Against: call + "@syscall", Brackets: 100_000, OffsetNS: -1.5, BoundNS: 120, ResolutionNS: 1, AgainstResolutionNS: 1}
		}
		d.Verification.Clocks = append(d.Verification.Clocks, c)
	}
	coarse := &d.Verification.Clocks[2]
	coarse.Repeats, coarse.StoodNS, coarse.TickNS = 123_450_000, 4e6, 4e6
	coarse.Bracket.ResolutionNS, coarse.Bracket.AgainstResolutionNS = 4e6, 4e6
	d.Skew = &result.Skew{DurationNS: 2e9, CPUs: []int{0, 1, 2, 3}, Clocks: []result.SkewedClock{square("RDTSC@cpu", 4)}}
	d.Drift = &result.Drift{
		Reference: "CLOCK_MONOTONIC_RAW@vdso", DurationNS: 10e9, LoadedFromNS: 5e9,
		Clocks: []result.DriftedClock{
			{ID: "RDTSC@cpu", NominalHz: 2596122000, Asleep: driftRate(-12.7512, 2596122000, 0.021), Loaded: driftRate(-12.76, 2596122000, 0.02)},
			{ID: "CLOCK_MONOTONIC@vdso", NominalHz: 1e9, Asleep: driftRate(0.004, 1e9, 0.15)},
		},
	}
	return d
}

func driftRate(ppm, nominal, interval float64) *result.DriftRate {
	return &result.DriftRate{
		PPM: &ppm, Hz: nominal * (1 + ppm/1e6), IntervalPPM: interval, Confidence: 0.95, ResidualNS: 14.2, WorstResidualNS: 65,
		Readings: 4900, SpanNS: 4_900_000_000,
	}
}

// square is a clock whose CPUs were compared all with all.
func square(id string, cpus int) result.SkewedClock {
	c := result.SkewedClock{ID: id, TicksPerSecond: 2596122000}
	for a := range cpus {
		for b := a + 1; b < cpus; b++ {
			trip := 90 + 30*float64(b-a)
			c.Pairs = append(c.Pairs, result.CPUPair{CPU: a, OtherCPU: b, OffsetNS: float64(a*3-b*2) + 0.25, BoundNS: trip / 2, RoundTripNS: trip, Rounds: 100_000})
		}
	}
	return c
}

// star is a clock whose CPUs were compared with the first only.
func star(id string, cpus int) result.SkewedClock {
	c := result.SkewedClock{ID: id, TicksPerSecond: 2596122000}
	for other := 1; other < cpus; other++ {
		trip := 90 + float64(other%48)*5
		c.Pairs = append(c.Pairs, result.CPUPair{CPU: 0, OtherCPU: other, OffsetNS: math.Round(36*math.Sin(float64(other)))/4 - 2, BoundNS: trip / 2, RoundTripNS: trip, Rounds: 10_000})
	}
	return c
}

// mistrusted is what they leave where much is wrong, after an interruption.
func mistrusted() *result.Document {
	d := unmeasured()
	d.Interrupted = true
	one, two, three := 1, 2, 3
	clock := func(id, verdict string, faults ...result.ClockFault) result.VerifiedClock {
		return result.VerifiedClock{ID: id, Verdict: verdict, Reads: 1_000_000, Repeats: 3, TickNS: 1, Witness: "RDTSC@cpu", Across: &result.Across{Checks: 1000, Pairs: 6}, Faults: faults}
	}
	v := &result.Verification{DurationNS: 1_250_000_000, CPUs: []int{0, 1, 2, 3, 8, 10}, LostCPUs: []int{10}}
	v.Clocks = []result.VerifiedClock{
		clock("CLOCK_MONOTONIC@vdso", result.OneCPU, result.ClockFault{Kind: result.FaultWarp, Count: 17, WorstNS: 243, CPU: &one, EarlierCPU: &two}),
		clock("RDTSC@cpu", result.Backwards, result.ClockFault{Kind: result.FaultBackwards, Count: 1, WorstNS: 1_500_000, CPU: &three},
			result.ClockFault{Kind: result.FaultWarp, Count: 12345, WorstNS: 2_500_000, CPU: &one, EarlierCPU: &three}),
		clock("CLOCK_REALTIME@vdso", result.Faulty, result.ClockFault{Kind: result.FaultStall, Count: 2, WorstNS: 3.2e9, CPU: &one},
			result.ClockFault{Kind: result.FaultJump, Count: 1, WorstNS: 4.1e6}),
		clock("CLOCK_BOOTTIME@vdso", result.Faulty, result.ClockFault{Kind: result.FaultOutside, Count: 9, WorstNS: 1234, CPU: &two},
			result.ClockFault{Kind: result.FaultResolution, Count: 1, WorstNS: 3_999_999}),
		clock("hpet@mmio", result.Faulty, result.ClockFault{Kind: result.FaultFailed, Count: 1, Text: "no such device", CPU: &one}),
		clock("CLOCK_THREAD_CPUTIME_ID@vdso", result.IsMonotonic),
		clock("QueryUnbiasedInterruptTimePrecise@winapi", result.OneCPU),
		{ID: "ptp0@syscall", Verdict: result.Unverified, Reason: "/dev/ptp0: permission denied"},
		{ID: "ptp1@syscall", Verdict: result.Unverified, Reason: "/dev/ptp0: permission denied"},
	}
	v.Clocks[3].Bracket = &result.Bracket{Against: "CLOCK_BOOTTIME@syscall", Brackets: 10, OffsetNS: 1_234_567, BoundNS: 88, AgainstResolutionNS: 4e6}
	v.Clocks[5].Across, v.Clocks[5].Reads, v.Clocks[5].Repeats = nil, 0, 0
	v.Clocks[6].Reason = "only one CPU could be used"
	v.Relations = []result.Relation{{Clock: "CLOCK_REALTIME@vdso", Against: "CLOCK_MONOTONIC@vdso", ChangeNS: -1_500_000_000, BoundNS: 61.5, PPM: -300_000, Steady: true}}
	d.Verification = v

	far := square("RDTSC@cpu", 3)
	far.Pairs[1].OffsetNS, far.Reason = -243, "CPU 10 went away"
	large := star("CNTVCT_EL0@cpu", 192)
	large.Pairs[96].OffsetNS, large.Pairs[97].OffsetNS = 1_250_000, -90_000
	d.Skew = &result.Skew{DurationNS: 1e9, CPUs: []int{0, 1, 2}, LostCPUs: []int{10}, Clocks: []result.SkewedClock{
		far, large, square("LFENCE+RDTSC@cpu", 16), {ID: "hpet@mmio", Reason: "/dev/hpet: no such file or directory"},
	}}
	unstated := driftRate(0, 24e6, 0.5)
	unstated.PPM = nil
	d.Drift = &result.Drift{
		Reference: "CLOCK_MONOTONIC@vdso", DurationNS: 10e9, LoadedFromNS: 5e9,
		Clocks: []result.DriftedClock{
			{ID: "RDTSC@cpu", NominalHz: 2596122000.5, Asleep: driftRate(12.7512, 2596122000, 0.021), Loaded: driftRate(483.2, 2596122000, 1.5)},
			{ID: "hpet@mmio", Asleep: unstated, Loaded: unstated},
			{ID: "ptp0@syscall", NominalHz: 1e9, Reason: "/dev/ptp0: permission denied"},
		},
	}
	return d
}

// both is a document of costs and of all parts.
func both() *result.Document {
	d, with := fixed(), trusted()
	d.Verification, d.Skew, d.Drift = with.Verification, with.Skew, with.Drift
	return d
}

// partsFormats are the formats of each command.
var partsFormats = map[string][]Format[*result.Document]{"verify": VerifyFormats, "skew": SkewFormats, "drift": DriftFormats}

func TestGoldenParts(t *testing.T) {
	for name, d := range map[string]*result.Document{"trusted": trusted(), "mistrusted": mistrusted()} {
		for command, formats := range partsFormats {
			for _, format := range formats {
				var got bytes.Buffer
				require.NoError(t, format.Write(&got, d))
				if format.Name == "json" {
					schema.Check(t, got.Bytes())
					continue
				}
				golden(t, command+"-"+name+"."+format.Name, got.Bytes())
			}
		}
	}
	for name, d := range map[string]*result.Document{"both": both(), "mistrusted": mistrusted()} {
		for _, format := range Formats {
			if format.Name == "bench" && name == "mistrusted" {
				require.ErrorContains(t, format.Write(io.Discard, d), "no samples of latency or throughput")
				continue
			}
			var got bytes.Buffer
			require.NoError(t, format.Write(&got, d))
			golden(t, name+"."+format.Name, got.Bytes())
		}
	}
}

// A run that measured no costs does not show how it measured them.
func TestPartsOnlyHaveNoTablesOfCosts(t *testing.T) {
	var table bytes.Buffer
	require.NoError(t, Table(&table, trusted()))
	require.NotContains(t, table.String(), "rounds of latency")
	require.NotContains(t, table.String(), "costs")
	require.Contains(t, table.String(), "Verified        for 5 s on CPUs 0 to 3, every CPU kept busy\n")
	require.Contains(t, table.String(), "\nAll 4 clocks held.\n")
	table.Reset()
	require.NoError(t, Table(&table, both()))
	require.Contains(t, table.String(), "Measured        10 rounds of latency")
	require.Contains(t, table.String(), "\nAll 4 clocks held.\n")
}

func TestPartsFitTheirWidth(t *testing.T) {
	long := mistrusted()
	for i := range long.Verification.Clocks {
		c := &long.Verification.Clocks[i]
		c.Reads, c.ID = 1e18, strings.Repeat("long id ", 20)+c.ID
	}
	long.Verification.Relations[0].Against = strings.Repeat("x", 300)
	long.Drift.Clocks[0].ID, long.Drift.Reference = strings.Repeat("r", 200), strings.Repeat("s", 200)
	for _, d := range []*result.Document{trusted(), mistrusted(), both(), long} {
		for _, formats := range partsFormats {
			var got bytes.Buffer
			require.NoError(t, formats[0].Write(&got, d))
			for line := range strings.Lines(got.String()) {
				require.LessOrEqual(t, text.StringWidth(strings.TrimRight(line, "\n")), table.Width, line)
			}
		}
	}
}

// odd are documents that no run leaves and that a reader lets through.
func odd() map[string]*result.Document {
	all := map[string]*result.Document{}
	add := func(name string, change func(d *result.Document)) {
		d := unmeasured()
		change(d)
		all[name] = d
	}
	add("empty lists", func(d *result.Document) {
		d.Verification = &result.Verification{CPUs: []int{}, Clocks: []result.VerifiedClock{}}
		d.Skew = &result.Skew{CPUs: []int{}, Clocks: []result.SkewedClock{}}
		d.Drift = &result.Drift{Reference: "r", Clocks: []result.DriftedClock{}}
	})
	add("zero everything", func(d *result.Document) {
		cpu := 0
		c := result.VerifiedClock{ID: "c", Verdict: result.Faulty, Across: &result.Across{}, Bracket: &result.Bracket{}}
		for _, kind := range result.ClockFaults {
			c.Faults = append(c.Faults, result.ClockFault{Kind: kind, Count: 1, CPU: &cpu, EarlierCPU: &cpu})
		}
		d.Verification = &result.Verification{CPUs: []int{0}, Clocks: []result.VerifiedClock{c, {ID: "d", Verdict: result.Faulty}}, Relations: []result.Relation{{}}}
		d.Skew = &result.Skew{CPUs: []int{0}, Clocks: []result.SkewedClock{{ID: "c", Pairs: []result.CPUPair{{}}}, {ID: "d", Pairs: []result.CPUPair{{}, {CPU: 1, OtherCPU: 1}, {CPU: 1}}}}}
		d.Drift = &result.Drift{Reference: "r", Clocks: []result.DriftedClock{{ID: "c", Asleep: &result.DriftRate{}, Loaded: &result.DriftRate{PPM: new(float64)}, Points: []result.DriftPoint{{}, {}}}}}
	})
	for _, size := range []float64{1e18, 1e-9, -1e18} {
		add("a size of "+words.Number(size), func(d *result.Document) {
			some, big := math.Abs(size), int(max(1, min(math.Abs(size), 1e18)))
			*d = *mistrusted()
			for i := range d.Verification.Clocks {
				c := &d.Verification.Clocks[i]
				c.Reads, c.Repeats, c.StoodNS = int64(big), int64(big), some
				c.Across, c.Bracket = &result.Across{Checks: 1, SeesNS: some}, &result.Bracket{Brackets: 1, OffsetNS: size, BoundNS: some, ResolutionNS: some}
				for j := range c.Faults {
					c.Faults[j].WorstNS, c.Faults[j].Count, c.Faults[j].CPU = some, int64(big), &big
				}
			}
			d.Verification.Relations[0] = result.Relation{ChangeNS: size, PPM: size, BoundNS: some}
			for i := range d.Skew.Clocks {
				for j := range d.Skew.Clocks[i].Pairs {
					p := &d.Skew.Clocks[i].Pairs[j]
					p.OffsetNS, p.BoundNS, p.RoundTripNS = size*float64(j%2), some*float64(j%3/2), some
				}
			}
			d.Skew.CPUs = []int{big, 3, 3, big}
			d.Drift.Clocks[0] = result.DriftedClock{
				ID: "c", NominalHz: some, Asleep: driftRate(size, 1, some), Loaded: driftRate(-size, 1, 0),
				Points: []result.DriftPoint{{AtNS: 1, OffsetNS: size}, {AtNS: int64(big), OffsetNS: -size}},
			}
			d.Drift.Clocks[0].Asleep.Hz, d.Drift.Clocks[0].Loaded.Hz = some, some
		})
	}
	add("the least that is not zero", func(d *result.Document) {
		*d = *trusted()
		d.Verification.Clocks[0].Bracket.OffsetNS, d.Verification.Relations[0].ChangeNS = math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64
		d.Skew.Clocks[0].Pairs[0].OffsetNS = -math.SmallestNonzeroFloat64
		d.Drift.Clocks[0].Asleep.PPM = new(float64)
		*d.Drift.Clocks[0].Asleep.PPM = -math.SmallestNonzeroFloat64
		d.Drift.Clocks[0].Points = []result.DriftPoint{{OffsetNS: math.SmallestNonzeroFloat64}, {OffsetNS: 0}}
	})
	add("texts that a format must not obey", func(d *result.Document) {
		*d = *mistrusted()
		const evil = "\x1b[31m|a\n\r\t`b` <img src=x> [c](d) *e*\u202e</script>"
		d.Verification.Clocks[0].ID, d.Verification.Clocks[0].Reason = evil, evil
		d.Verification.Clocks[0].Faults[0].Text = evil
		d.Verification.Clocks[1].Bracket = &result.Bracket{Against: evil}
		d.Verification.Relations[0].Against = evil
		d.Skew.Clocks[0].ID, d.Skew.Clocks[0].Reason = evil, evil
		d.Drift.Reference, d.Drift.Clocks[0].ID, d.Drift.Clocks[0].Reason = evil, evil, evil
	})
	return all
}

func TestOddPartsCanBeRendered(t *testing.T) {
	for name, d := range odd() {
		require.NoError(t, d.Write(io.Discard), "%s: the loader refuses it, so it need not be rendered", name)
		for _, formats := range append(slices.Collect(valuesOf(partsFormats)), Formats) {
			for _, format := range formats {
				var got bytes.Buffer
				err := format.Write(&got, d)
				if format.Name == "bench" {
					require.ErrorIs(t, err, errNoSamples)
					continue
				}
				require.NoError(t, err, "%s as %s", name, format.Name)
				require.NotContains(t, got.String(), "NaN", "%s as %s", name, format.Name)
				require.NotContains(t, got.String(), "Inf", "%s as %s", name, format.Name)
				if format.Name == "table" || format.Name == "markdown" {
					require.NotContains(t, got.String(), "\x1b")
					require.NotContains(t, got.String(), "\r")
				}
				if format.Name == "markdown" || format.Name == "html" {
					require.NotContains(t, got.String(), "<img")
				}
				if format.Name == "csv" {
					_, err := csv.NewReader(&got).ReadAll()
					require.NoError(t, err, "every line has all columns")
				}
			}
		}
	}
}

func valuesOf[K comparable, V any](of map[K]V) func(yield func(V) bool) {
	return func(yield func(V) bool) {
		for _, v := range of {
			if !yield(v) {
				return
			}
		}
	}
}

// What was not asked for is an empty table, not a panic.
func TestPartsThatAreNotThere(t *testing.T) {
	for command, formats := range partsFormats {
		for _, format := range formats {
			require.NoError(t, format.Write(io.Discard, fixed()), "%s as %s", command, format.Name)
			require.ErrorContains(t, format.Write(full{}, trusted()), "no space left", "%s as %s", command, format.Name)
		}
	}
	require.Empty(t, parts(fixed()))
}

func TestVerdictIsWordedForPeople(t *testing.T) {
	verdicts := map[string]string{}
	for _, c := range mistrusted().Verification.Clocks {
		verdicts[c.ID] = verdict(c)
	}
	require.Equal(t, "monotonic on one CPU only; went backwards 17 times, worst 243 ns, between CPU 2 and 1", verdicts["CLOCK_MONOTONIC@vdso"])
	require.Equal(t, "went backwards once, worst 1.5 ms; went backwards 12,345 times, worst 2.5 ms, between CPU 3 and 1", verdicts["RDTSC@cpu"])
	require.Equal(t, "stood still 2 times, worst 3.2 s; jumped once, worst 4.1 ms", verdicts["CLOCK_REALTIME@vdso"])
	require.Equal(t, "failed once", verdicts["hpet@mmio"])
	require.Equal(t, "monotonic", verdicts["CLOCK_THREAD_CPUTIME_ID@vdso"])
}

func TestTrustSaysTheWhole(t *testing.T) {
	held := result.VerifiedClock{ID: "a", Verdict: result.IsMonotonic}
	wrong := result.VerifiedClock{ID: "b", Verdict: result.Faulty, Faults: []result.ClockFault{{Kind: result.FaultStall, Count: 1}}}
	not := result.VerifiedClock{ID: "c", Verdict: result.Unverified}
	single := result.VerifiedClock{ID: "d", Verdict: result.OneCPU}
	absent := result.VerifiedClock{ID: "e", Verdict: result.Unverified, Reason: "there is none"}
	for _, test := range []struct {
		want   string
		clocks []result.VerifiedClock
	}{
		{"No clock was verified.", nil},
		{"No clock was verified.", []result.VerifiedClock{not}},
		{"The clock held.", []result.VerifiedClock{held}},
		{"Both clocks held.", []result.VerifiedClock{held, held}},
		{"2 of 3 clocks held; 1 could not be verified.", []result.VerifiedClock{held, held, not}},
		{"1 of 2 clocks held; 1 could not be verified. 1 clock could be watched on one CPU only.", []result.VerifiedClock{single, not}},
		{"1 of 3 clocks cannot be trusted: b. 1 clock could not be verified.", []result.VerifiedClock{held, wrong, not}},
		{"Both clocks held. 1 clock could be watched on one CPU only.", []result.VerifiedClock{held, single}},
		{"Both clocks held. 1 clock is not available here.", []result.VerifiedClock{held, held, absent}},
		{"2 of 3 clocks held; 1 could not be verified. 1 clock is not available here.", []result.VerifiedClock{held, held, not, absent}},
		{"No clock was verified.", []result.VerifiedClock{absent}},
		{"The clock cannot be trusted: b.", []result.VerifiedClock{wrong}},
		{"1 of 2 clocks cannot be trusted: b.", []result.VerifiedClock{held, wrong}},
	} {
		d := &result.Document{
			Clocks:       []result.Clock{{ID: "c", Available: true}, {ID: "e"}},
			Verification: &result.Verification{Clocks: test.clocks},
		}
		require.Equal(t, test.want, trust(d))
		require.Equal(t, !strings.Contains(test.want, "cannot"), d.Verification.Held())
	}
	d := &result.Document{Interrupted: true, Verification: &result.Verification{Clocks: []result.VerifiedClock{held, held}, Relations: []result.Relation{{Held: true}, {Steady: true}}}}
	require.Equal(t, "Interrupted; of what was seen by then: Both clocks held. 1 relation did not hold.", trust(d))
}

// Of nine clocks one differs by chance soon: what is certain of one clock alone is not
// certain of any of nine.
func TestChangeUnderLoadOfManyClocks(t *testing.T) {
	for _, test := range []struct {
		clocks  int
		freedom float64
		change  float64 // in both half intervals
		certain bool
	}{
		{1, 400, 1.05, false}, {1, 400, 1.2, true}, {9, 400, 1.2, false}, {9, 400, 1.6, true},
		{9, 0, 1.2, false}, {9, 0, 1.6, true}, {9, 3, 1.6, false}, {9, 3, 3, true},
	} {
		d := unmeasured()
		d.Drift = &result.Drift{Reference: "a", DurationNS: 1}
		for i := range test.clocks {
			c := result.DriftedClock{ID: strconv.Itoa(i), NominalHz: 1e9, Asleep: driftRate(0, 1e9, 1), Loaded: driftRate(0, 1e9, 1)}
			if i == 0 {
				c.Loaded = driftRate(2*test.change, 1e9, 1)
			}
			c.Asleep.Freedom, c.Loaded.Freedom = test.freedom, test.freedom
			d.Drift.Clocks = append(d.Drift.Clocks, c)
		}
		require.Equal(t, test.certain, len(drift(d)[0].Faults) == 1, "%+v", test)
	}
}

// A document may hold rates that no clock has: one that was set, in a version that did
// not see it.
func TestAbsurdRatesFitTheTable(t *testing.T) {
	d := trusted()
	d.Drift.Clocks[0].Asleep = driftRate(4.7e13, 2596122000, 5.2e12)
	d.Drift.Clocks[1].Asleep = driftRate(-8.1e12, 1e9, 1e14)
	for _, g := range drift(d)[0].Grids {
		for line := range strings.Lines(g.Fitted()) {
			require.LessOrEqual(t, text.LongestLineLen(line), table.Width, line)
		}
	}
	require.Equal(t, "+4.7e+13 ± 5.2e+12", ppm(d.Drift.Clocks[0].Asleep))
	require.Equal(t, "-8.1e+12 ± 1e+14", ppm(d.Drift.Clocks[1].Asleep))
}

// A coarse clock shows the same value before a round trip and after it: that is not how
// long a message took.
func TestCoarseClockTellsNoRoundTrip(t *testing.T) {
	coarse := result.SkewedClock{ID: "CLOCK_MONOTONIC_COARSE@vdso", TicksPerSecond: 1e9, Pairs: []result.CPUPair{{OtherCPU: 1, BoundNS: 4e6, Rounds: 10}}}
	tick := result.SkewedClock{ID: "gettimeofday@vdso", TicksPerSecond: 1e6, Pairs: []result.CPUPair{{OtherCPU: 1, RoundTripNS: 1000, BoundNS: 1500, Rounds: 10}}}
	fine := result.SkewedClock{ID: "RDTSC@cpu", TicksPerSecond: 1e9, Pairs: []result.CPUPair{{OtherCPU: 1, RoundTripNS: 150, BoundNS: 76, Rounds: 10}}}
	for _, test := range []struct {
		clocks []result.SkewedClock
		want   string
	}{
		{[]result.SkewedClock{coarse}, "The clock is too coarse to show how long a message takes between two CPUs."},
		{[]result.SkewedClock{coarse, tick}, "The clocks are too coarse to show how long a message takes between two CPUs."},
		{[]result.SkewedClock{coarse, fine}, "A message between two CPUs, there and back over a shared cache line, took 150 ns (CPU 0 and 1) at best, by RDTSC@cpu."},
	} {
		d := unmeasured()
		d.Skew = &result.Skew{CPUs: []int{0, 1}, Clocks: test.clocks}
		notes := skew(d)[0].Notes
		require.Equal(t, test.want, notes[len(notes)-1])
	}
	require.Equal(t, "≤ 4 ms", roundTrip(coarse.Pairs[0], words.SignedDuration))
	require.Equal(t, "≤ 2 µs", roundTrip(tick.Pairs[0], words.SignedDuration))
	require.Equal(t, "150 ns", roundTrip(fine.Pairs[0], words.SignedDuration))
}

// Many CPUs are a short list with the worst on top, and nothing is left out of the CSV.
func TestSkewOfManyCPUsIsShort(t *testing.T) {
	c := star("RDTSC@cpu", 192)
	c.Pairs[96].OffsetNS = 1_250_000
	g := pairGrid(&c)
	require.Len(t, g.Rows, mostListed)
	require.Equal(t, []string{"0", "97", "1.25 ms ± 47.5 ns", "apart"}, g.Rows[0][:4])
	require.Contains(t, g.Title, "the worst 16 of 191 pairs")
	require.Equal(t, "RDTSC@cpu: 1 of 191 pairs is certainly apart: CPU 97 is ahead of CPU 0 by 1.25 ms ± 47.5 ns.", together(&c))
	d := unmeasured()
	d.Skew = &result.Skew{Clocks: []result.SkewedClock{c}}
	require.Len(t, skewLines(d), 1+191)
}

func TestSkewOfAllPairsIsASquare(t *testing.T) {
	c := square("RDTSC@cpu", 3)
	c.Pairs[2] = result.CPUPair{CPU: 2, OtherCPU: 1, OffsetNS: 200, BoundNS: 60, RoundTripNS: 120}
	g := pairGrid(&c)
	require.Equal(t, [][]string{
		{"0", "", "-2 ± 60", "-4 ± 75"},
		{"1", "120", "", "-200 ± 60 !"}, // the other way round
		{"2", "150", "120", ""},
	}, g.Rows)
	for _, cpus := range []int{16, 17} {
		c = square("RDTSC@cpu", cpus)
		require.Equal(t, cpus == 16, pairGrid(&c).Header[1] == "0")
	}
}

func TestCPUsAreListedShortly(t *testing.T) {
	require.Equal(t, "no CPU", words.CPUs(nil))
	require.Equal(t, "CPU 3", words.CPUs([]int{3, 3}))
	require.Equal(t, "CPUs 0 to 2 and 8", words.CPUs([]int{8, 2, 1, 0}))
	var many []int
	for i := range 40 {
		many = append(many, 2*i)
	}
	require.Equal(t, "CPUs 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 28 more", words.CPUs(many))
}

func TestBoundedGivesTheDigitsThatMeanSomething(t *testing.T) {
	for _, test := range []struct {
		value, bound float64
		want         string
	}{
		{-12.7512, 0.021, "-12.751 ± 0.021"}, {0, 0, "0.000 ± 0.000"}, {2596088900.123, 54.6, "2,596,088,900 ± 55"},
		{1, 1e-9, "1.000000 ± 0.000000"}, {-0.0001, 60, "0 ± 60"}, {-1e18, 1, "-1e+18 ± 1"}, {1, 1e30, "1 ± 1e+30"},
	} {
		require.Equal(t, test.want, words.Bounded(test.value, test.bound))
	}
}
