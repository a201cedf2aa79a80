package compare

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/show/picture"
)

// wall is a fine wall clock with samples.
func wall(id string, samples []float64) Clock {
	s := stats.Summarize(samples)
	return Clock{
		ID: id, Kind: "wall", Available: true, Resolution: &Resolution{TickNS: 1, FinerThanRead: true, Ticks: 9},
		Latency: &Latency{MedianNS: s.Median, LowNS: s.Low, HighNS: s.High, Confidence: s.Confidence, MinNS: s.Min,
			SamplesNS: samples, QuietSamplesNS: samples},
	}
}

// quantised is samples of a clock whose slices take whole ticks of the stopwatch: the interval of their median has no
// width.
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

// Clocks that are the same for diff are equally fast, and the usual clock comes first.
func TestUsualClockIsChosenAmongEquals(t *testing.T) {
	chance := rand.New(rand.NewPCG(31, 32))
	realtime, tai := wall("CLOCK_REALTIME@vdso", quantised(chance, 21.663)),
		wall("CLOCK_TAI@vdso", quantised(chance, 21.661))
	require.Less(t, tai.Latency.HighNS, realtime.Latency.LowNS, "the intervals do not overlap")
	require.Equal(t, "CLOCK_REALTIME@vdso, CLOCK_TAI@vdso are the fastest, 21.7 ns/read (no significant difference).",
		chosen(realtime, tai))

	syscall := wall("CLOCK_REALTIME@syscall", quantised(chance, 216.63))
	require.Equal(t, "CLOCK_REALTIME@vdso, CLOCK_TAI@vdso are the fastest, 21.7 ns/read (no significant difference). Slower: gettimeofday@vdso 1.04×, CLOCK_REALTIME@syscall 10×.",
		chosen(realtime, syscall, tai, wall("gettimeofday@vdso", quantised(chance, 22.6))))
	require.Equal(t, "CLOCK_TAI@vdso is the fastest, 21.7 ns/read. Slower: CLOCK_REALTIME@vdso 1.05×.",
		chosen(wall("CLOCK_REALTIME@vdso", quantised(chance, 22.75)), tai))

	// The figures match the table, whatever the quickest slices are.
	equal := wall("CLOCK_REALTIME@vdso", quantised(chance, 21.663))
	equal.Latency.QuietSamplesNS = quantised(chance, 25)
	require.Equal(t, "CLOCK_REALTIME@vdso, CLOCK_TAI@vdso are the fastest, 21.7 ns/read (no significant difference).",
		chosen(equal, tai))
}

// A clock is not slower if its interval in the table overlaps the interval of the fastest, or if its figure is the
// same. Without intervals the medians decide, and less than 2 % is the same.
func TestTableShowsWhatIsSlower(t *testing.T) {
	within := func(id string, ns, low, high float64) Clock {
		c := wall(id, []float64{ns})
		c.Latency.LowNS, c.Latency.HighNS, c.Latency.Confidence = low, high, 0.95
		return c
	}
	usual := within("b", 21, 20.8, 21.2)
	for _, test := range []struct {
		a, b Clock
		want string
	}{
		{within("a", 22, 20.5, 23), usual, "a, b are the fastest, 21.0 to 22.0 ns/read (no significant difference)."},
		{within("a", 22, 21.3, 23), usual, "b is the fastest, 21.0 ns/read. Slower: a 1.05×."},
		{wall("a", []float64{0.1}), wall("b", []float64{0.103}),
			"a, b are the fastest, 0.10 ns/read (no significant difference)."},
		{wall("a", []float64{20}), wall("b", []float64{20.002}),
			"a, b are the fastest, 20.0 ns/read (no significant difference)."},
		{wall("a", []float64{20}), wall("b", []float64{20.398}),
			"a, b are the fastest, 20.0 to 20.4 ns/read (no significant difference)."},
		{wall("a", []float64{20}), wall("b", []float64{20.6}), "a is the fastest, 20.0 ns/read. Slower: b 1.03×."},
	} {
		require.Equal(t, test.want, chosen(test.a, test.b))
	}
}

// Every run has an answer. Add a row for each selection of clocks that lacked an answer.
func TestEveryRunHasAnAnswer(t *testing.T) {
	counter, call := wall("RDTSC@cpu", []float64{11.9}), wall("CLOCK_MONOTONIC@syscall", []float64{208})
	none := Clock{ID: "hpet@mmio", Reason: "/dev/hpet: no such file or directory"}
	for _, test := range []struct {
		want   string
		clocks []Clock
	}{
		{"Reading RDTSC@cpu takes 11.9 ns.", []Clock{counter}},
		{"Reading RDTSC@cpu takes 11.9 ns.", []Clock{none, counter}},
		{"Reading one of the 2 clocks takes 11.9 ns (RDTSC@cpu) to 208 ns (CLOCK_MONOTONIC@syscall).",
			[]Clock{call, none, counter}},
		{"Reading one of the 2 clocks takes 11.9 ns.", []Clock{counter, wall("LFENCE+RDTSC@cpu", []float64{11.9})}},
		{"hpet@mmio could not be read: /dev/hpet: no such file or directory.", []Clock{none}},
		{"None of the 2 clocks could be read; the reasons are below.",
			[]Clock{none, {ID: "ptp0@syscall", Reason: "gone"}}},
		{"No read of a clock was timed.", []Clock{none, {ID: "RDTSC@cpu", Available: true}}},
		{"No read of a clock was timed.", nil},
	} {
		require.Equal(t, test.want, (&Costs{Clocks: test.clocks}).answer())
	}
}

// Table and picture mark a disturbed figure, and explain the mark.
func TestDisturbedFiguresAreMarked(t *testing.T) {
	c := wall("c@vdso", []float64{20, 20, 20, 20, 20, 20})
	c.Throughput = []Throughput{{Threads: 1, NSPerRead: 20, ReadsPerSecond: 5e7},
		{Threads: 2, NSPerRead: 2265, ReadsPerSecond: 9e5, Disturbed: true}}
	d := &result.Document{Settings: result.Settings{Threads: []int{1, 2}},
		Sections: []result.Section{&Costs{Clocks: []Clock{c}}}}
	g := throughputGrid(d)
	require.Subset(t, g.Rows[0], []string{"c@vdso", "20.0", "2,265?"})
	require.Contains(t, g.Note, "? disturbed")
	all := lines(d, nsPerRead)
	require.Equal(t, []bool{false, true}, all[0].Doubtful)
	require.Contains(t, overThreads(d, all).XLabel, "hollow: disturbed")
	require.Equal(t, "20 ns, 2 samples", LatencyOf([]float64{20, 20}, nil).Row("c", picture.Look{}).Text)

	c.Throughput[1].Disturbed = false
	Into(d).Clocks[0] = c
	require.NotContains(t, throughputGrid(d).Note+overThreads(d, lines(d, nsPerRead)).XLabel, "disturbed")
}
