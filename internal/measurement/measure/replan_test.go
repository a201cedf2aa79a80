package measure

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/clock/entry"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/test/need"
)

// dearer is a clock whose read takes 40 ns, and later 250 times as long.
type dearer struct {
	from         int
	spins, since int // calls of Spin, and reads since they are slower
}

func (d *dearer) Spin(n int) {
	cost := int64(40)
	if d.spins++; d.spins > d.from {
		cost *= 250
		d.since += n
	}
	for end := observe.Now() + int64(n)*cost; observe.Now() < end; {
	}
}

func (d *dearer) Read(ticks []int64) {
	for i := range ticks {
		ticks[i] = observe.Now()
	}
}

// If a clock becomes 250 times slower, the run does not take 250 times as long.
func TestReadsArePlannedAnewWhereTheyComeToCostMore(t *testing.T) {
	const rounds, from = 30, 150 // spins: some rounds of 25, or of fewer on a busy machine
	reader := &dearer{from: from}
	s := &subject{clock: fake("dearer@fake", func() (clock.Reader, error) { return reader, nil })}
	r := &runner{ctx: context.Background(),
		settings: Settings{Threads: []int{1}, Rounds: rounds, Time: time.Millisecond, CPU: result.CPU{Usable: 1}},
		team:     &fakeTeam{}, subjects: []*subject{s}, now: observe.Now}
	require.NoError(t, thread.Run(thread.Any, r.run))
	require.Len(t, s.latency, rounds)
	require.Greater(t, reader.spins, from)
	require.True(t, s.replanned)
	require.Greater(t, s.readNS, 5000.0)
	// With the first plan: some 2500 reads in each slice, and 25 slices in each round.
	perRound := float64(latencyTurn) / 10_000
	require.Less(t, float64(reader.since), 2*float64(latencyChunk)/40*observe.FewestSlices+3*rounds*perRound)
}

// The kernel entries found before the run are compared with those after it, if something
// changed.
func TestKernelEntryIsProvenAgainAfterAChange(t *testing.T) {
	door := clock.Clock{Path: clock.Syscall} // enters the kernel always, by its path
	if by := clock.KernelEntries([]clock.Clock{door})[0]; by.Enters != result.Always {
		need.Missing(t, "system calls", by.By)
	}
	for name, test := range map[string]struct {
		before    string
		replanned bool
		sources   []string
		after     entry.Verdict
	}{
		"nothing changed": {result.Never, false, []string{"tsc"},
			entry.Verdict{Enters: result.Never, By: "seccomp"}},
		"another price": {result.Never, true, nil, entry.Verdict{Enters: result.Sometimes, By: "path"}},
		"another clock source": {result.Never, false, []string{"tsc", "hpet"},
			entry.Verdict{Enters: result.Sometimes, By: "path"}},
		"it was so before":        {result.Always, true, nil, entry.Verdict{Enters: result.Always, By: "seccomp"}},
		"it could not be told":    {result.Unknown, true, nil, entry.Verdict{Enters: result.Always, By: "path"}},
		"sometimes stays so much": {result.Sometimes, true, nil, entry.Verdict{Enters: result.Sometimes, By: "path"}},
	} {
		s := &subject{clock: door, entry: entry.Verdict{Enters: test.before, By: "seccomp"}, replanned: test.replanned}
		r := &runner{subjects: []*subject{s}, noise: noise{Recorder: Recorder{sources: test.sources}}}
		r.proveAgain()
		require.Equal(t, test.after, s.entry, name)
	}
}
