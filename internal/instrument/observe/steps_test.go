package observe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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

// A thread may lose its CPU in the first read, for longer than the watch. It still has to compare two values, or a
// witness of verify counts as a clock that stands.
func TestWatchComparesTwoValues(t *testing.T) {
	var passed fakeTime
	late := &script{next: func(i int64) int64 { passed.pass(time.Second); return i * 20 }}
	_, moved := Step(late, 1, 20*time.Millisecond, passed.now)
	require.True(t, moved)
}
