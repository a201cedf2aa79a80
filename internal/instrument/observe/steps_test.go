package observe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStepsOfValues(t *testing.T) {
	for name, test := range map[string]struct {
		looks [][]int64
		want  Steps
	}{
		"nothing":   {nil, Steps{}},
		"one value": {[][]int64{{0}}, Steps{Begun: true}},
		"across looks": {[][]int64{{5, 6}, {6}, {8}},
			Steps{Pairs: 3, Repeats: 1, Forward: 2, Smallest: 1, Kept: []float64{1, 2}, Begun: true, Last: 8,
				timely: 2}},
		"it stands": {[][]int64{{0, 0, 0}}, Steps{Pairs: 2, Repeats: 2, Begun: true}},
		"never twice": {[][]int64{{1, 3, 4}}, Steps{Pairs: 2, Forward: 2, Smallest: 1, Kept: []float64{2, 1},
			Begun: true, Last: 4, timely: 2}},
		"it goes back": {[][]int64{{5, 5, 9, 9, 17}, {13, 16, 15}},
			Steps{Pairs: 7, Repeats: 2, Forward: 3, Smallest: 3, Backwards: 2, Farthest: 4, Kept: []float64{4, 8, 3},
				Begun: true, Last: 15, timely: 3}},
		"an empty look": {[][]int64{{}, {1}, {}, {2}},
			Steps{Pairs: 1, Forward: 1, Smallest: 1, Kept: []float64{1}, Begun: true, Last: 2, timely: 1}},
		"more than kept": {[][]int64{{0, 9, 17, 24, 30}},
			Steps{Pairs: 4, Forward: 4, Smallest: 6, Kept: []float64{9, 8, 7}, Begun: true, Last: 30, timely: 4}},
	} {
		s := Steps{Keep: 3}
		for _, look := range test.looks {
			s.See(look, false)
		}
		test.want.Keep = 3
		require.Equal(t, test.want, s, name)
	}
}

// A watch ends after enough steps, but not before its min time and not after its max time.
func TestWatchEnds(t *testing.T) {
	const readNS = 100
	for name, test := range map[string]struct {
		tickNS int64
		watch  Watch
		want   time.Duration
	}{
		"enough at once": {100, Watch{Values: 10, Enough: 3, Most: time.Second}, 1000},
		"not before least": {100, Watch{Values: 10, Enough: 3, Least: time.Millisecond, Most: time.Second},
			time.Millisecond},
		"by the third tick": {1e6, Watch{Values: 1, Enough: 3, Most: time.Second}, 3 * time.Millisecond},
		"not after most":    {1e9, Watch{Values: 10, Enough: 3, Most: 40 * time.Millisecond}, 40 * time.Millisecond},
		"most and least": {1e9, Watch{Values: 10, Enough: 3, Least: time.Millisecond, Most: time.Millisecond},
			time.Millisecond},
		"no time is one look": {100, Watch{Values: 10, Enough: 30}, 1000},
	} {
		var time fakeTime
		reader := &script{next: func(int64) int64 {
			value := time.ns / test.tickNS
			time.ns += readNS
			return value
		}}
		var s Steps
		watched := s.Watch(reader, test.watch, time.now)
		require.InDelta(t, int64(test.want), watched, float64(test.watch.Values*readNS), name)
		require.Equal(t, time.ns, watched, name)
		require.Equal(t, reader.reads-1, s.Pairs, name)
	}
}

// The steps of a batch that took too long are late; the steps of the next batch are not.
func TestWatchSeesThatItWasAway(t *testing.T) {
	var time fakeTime
	reader := &script{next: func(i int64) int64 {
		time.ns += 100
		if i == 25 {
			time.ns += 5e6
			return 1000
		}
		return i
	}}
	s := Steps{Keep: 100}
	s.Watch(reader, Watch{Values: 10, Enough: 35, Most: 1e9, Away: 1e6}, time.now)
	require.EqualValues(t, 10, s.Forward-int64(len(s.Kept)), "the step back aside; the first of the next batch")
	require.NotContains(t, s.Kept, 976.0)
	require.Zero(t, s.Repeats, "no value is counted twice")
	require.EqualValues(t, 50, reader.reads, "late steps are not enough")
}

// A watch ends although the stopwatch and the clock stand still.
func TestWatchOfAStandingStopwatchEnds(t *testing.T) {
	var still fakeTime
	reader := &script{next: func(int64) int64 { return 7 }}
	var s Steps
	require.Zero(t, s.Watch(reader, Watch{Values: 1024, Enough: 3, Most: time.Hour}, still.now))
	require.Zero(t, s.Forward)
	require.Less(t, reader.reads, int64(1)<<23)
	// The watch goes on if the stopwatch moves now and then.
	reader.reads = 0
	moving := &script{next: func(i int64) int64 {
		if i%(1<<21) == 0 {
			still.pass(time.Second)
		}
		return 7
	}}
	require.EqualValues(t, 5e9, s.Watch(moving, Watch{Values: 1024, Enough: 3, Most: 5 * time.Second}, still.now))
}

func TestStep(t *testing.T) {
	for name, test := range map[string]struct {
		next  func(i int64) int64
		want  float64
		moved bool
	}{
		"finer than a read":     {func(i int64) int64 { return i * 20 }, 0, true},
		"few values come twice": {func(i int64) int64 { return i - i/5 }, 0, true},
		"microseconds":          {func(i int64) int64 { return i / 40 * 1000 }, 2000, true},
		"one step is late":      {func(i int64) int64 { return i/40*1000 + max(0, min(1, i-100))*77_000 }, 2000, true},
		"back alone":            {func(i int64) int64 { return -i }, 0, true},
		"it stands":             {func(int64) int64 { return 7 }, 0, false},
		"unevenly: its median":  {func(i int64) int64 { return i / 40 * (i / 40) }, 18, true},
	} {
		step, moved := Step(&script{next: test.next}, 2, 50*time.Millisecond, Now)
		require.Equal(t, test.moved, moved, name)
		require.Equal(t, test.want, step, name)
	}
}
