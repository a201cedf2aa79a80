package compare

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/stats"
)

// wall is a fine wall clock with samples.
func wall(id string, samples []float64) Clock {
	s := stats.Summarize(samples)
	return Clock{
		ID: id, Kind: "wall", Available: true, Resolution: &Resolution{TickNS: 1, FinerThanRead: true, Ticks: 9},
		Latency: &Latency{MedianNS: s.Median, LowNS: s.Low, HighNS: s.High, Confidence: s.Confidence, MinNS: s.Min, SamplesNS: samples, QuietSamplesNS: samples},
	}
}

// quantised is samples of a clock whose slices take whole ticks of the stopwatch: their median has an
// interval of no width.
func quantised(chance *rand.Rand, ns float64) []float64 {
	samples := slices.Repeat([]float64{ns}, 280)
	for i := range samples {
		if chance.Float64() < 0.1 {
			samples[i] = ns * (1 + 0.2*chance.Float64())
		}
	}
	return samples
}

func chosen(clocks ...Clock) string {
	return summary(&result.Document{Sections: []result.Section{&Costs{Clocks: clocks}}})[0].Value
}

// What diff would call the same is as fast, and the usual clock comes first.
func TestUsualClockIsChosenAmongEquals(t *testing.T) {
	chance := rand.New(rand.NewPCG(31, 32))
	realtime, tai := wall("CLOCK_REALTIME@vdso", quantised(chance, 21.663)), wall("CLOCK_TAI@vdso", quantised(chance, 21.661))
	require.Less(t, tai.Latency.HighNS, realtime.Latency.LowNS, "the intervals do not overlap")
	require.Equal(t, "CLOCK_REALTIME@vdso, CLOCK_TAI@vdso are the fastest, 21.7 ns/read (no significant difference).", chosen(realtime, tai))

	syscall := wall("CLOCK_REALTIME@syscall", quantised(chance, 216.63))
	require.Equal(t, "CLOCK_REALTIME@vdso, CLOCK_TAI@vdso are the fastest, 21.7 ns/read (no significant difference). Slower: gettimeofday@vdso 1.04×, CLOCK_REALTIME@syscall 10×.",
		chosen(realtime, syscall, tai, wall("gettimeofday@vdso", quantised(chance, 22.6))))
	require.Equal(t, "CLOCK_TAI@vdso is the fastest, 21.7 ns/read. Slower: CLOCK_REALTIME@vdso 1.05×.", chosen(wall("CLOCK_REALTIME@vdso", quantised(chance, 22.75)), tai))

	// The figures are those of the table, whatever the quickest slices are.
	equal := wall("CLOCK_REALTIME@vdso", quantised(chance, 21.663))
	equal.Latency.QuietSamplesNS = quantised(chance, 25)
	require.Equal(t, "CLOCK_REALTIME@vdso, CLOCK_TAI@vdso are the fastest, 21.7 ns/read (no significant difference).", chosen(equal, tai))
}

// Nothing is slower whose interval in the table overlaps that of the fastest, or whose figure is the same.
func TestTableShowsWhatIsSlower(t *testing.T) {
	noisy := wall("a", []float64{22})
	noisy.Latency.LowNS, noisy.Latency.HighNS, noisy.Latency.Confidence = 20.5, 23, 0.95
	usual := wall("b", []float64{21})
	usual.Latency.LowNS, usual.Latency.HighNS, usual.Latency.Confidence = 20.8, 21.2, 0.95
	require.Equal(t, "a, b are the fastest, 21.0 to 22.0 ns/read (no significant difference).", chosen(noisy, usual))
	noisy.Latency.LowNS = 21.3
	require.Equal(t, "b is the fastest, 21.0 ns/read. Slower: a 1.05×.", chosen(noisy, usual))
	require.Equal(t, "a, b are the fastest, 0.10 ns/read (no significant difference).", chosen(wall("a", []float64{0.1}), wall("b", []float64{0.103})))
}

// With few rounds, or without samples, the medians decide, and less than 2 % is the same.
func TestFewRoundsHaveNoRatioOfOne(t *testing.T) {
	for ratio, want := range map[float64]string{
		1.0001: "a, b are the fastest, 20.0 ns/read (no significant difference).",
		1.0199: "a, b are the fastest, 20.0 to 20.4 ns/read (no significant difference).",
		1.03:   "a is the fastest, 20.0 ns/read. Slower: b 1.03×.",
	} {
		a, b := wall("a", []float64{20}), wall("b", []float64{20 * ratio})
		require.Equal(t, want, chosen(a, b))
		a.Latency.SamplesNS, a.Latency.QuietSamplesNS, b.Latency.QuietSamplesNS = nil, nil, nil
		require.Equal(t, want, chosen(a, b))
	}
}

// Every run has an answer. Add a row for each selection of clocks that had none.
func TestEveryRunHasAnAnswer(t *testing.T) {
	counter, call := wall("RDTSC@cpu", []float64{11.9}), wall("CLOCK_MONOTONIC@syscall", []float64{208})
	none := Clock{ID: "hpet@mmio", Reason: "/dev/hpet: no such file or directory"}
	for _, test := range []struct {
		want   string
		clocks []Clock
	}{
		{"Reading RDTSC@cpu takes 11.9 ns.", []Clock{counter}},
		{"Reading RDTSC@cpu takes 11.9 ns.", []Clock{none, counter}},
		{"Reading one of the 2 clocks takes 11.9 ns (RDTSC@cpu) to 208 ns (CLOCK_MONOTONIC@syscall).", []Clock{call, none, counter}},
		{"Reading one of the 2 clocks takes 11.9 ns.", []Clock{counter, wall("LFENCE+RDTSC@cpu", []float64{11.9})}},
		{"hpet@mmio could not be read: /dev/hpet: no such file or directory.", []Clock{none}},
		{"None of the 2 clocks could be read; the reasons are below.", []Clock{none, {ID: "ptp0@syscall", Reason: "gone"}}},
		{"No read of a clock was timed.", []Clock{none, {ID: "RDTSC@cpu", Available: true}}},
		{"No read of a clock was timed.", nil},
	} {
		require.Equal(t, test.want, Answer(&result.Document{Sections: []result.Section{&Costs{Clocks: test.clocks}}}))
	}
}
