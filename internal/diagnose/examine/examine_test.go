package examine

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/profile"
)

// A profile that the system does not allow is listed as not checked. From other profiles, doctor keeps only the
// programs with many reads.
func TestWhoReadsIsKnownOrNotChecked(t *testing.T) {
	ended := func(found profile.Profile, err error) *sampling {
		s := &sampling{over: make(chan struct{}), ended: make(chan struct{}), found: found, err: err}
		close(s.ended)
		s.end(nil)
		return s
	}
	d := new(result.Document)
	require.Equal(t, []result.NotChecked{{What: diagnose.WhoReads, Why: "that needs root"}}, ended(profile.Profile{}, errors.New("that needs root")).into(d))
	require.Nil(t, profile.Of(d))

	share := 0.4
	require.Empty(t, ended(profile.Profile{Processes: []profile.Process{
		{PID: 1, Command: "redis-server", Cgroup: "/secret", ClockShare: &share, ClockShareLow: 0.3},
		{PID: 2, Command: "private", ClockShare: &share, ClockShareLow: 0.001},
		{PID: 3, Command: "unknown", ClockShareLow: 0.3},
	}}, nil).into(d))
	require.Equal(t, []profile.Process{{PID: 1, Command: "redis-server", ClockShare: &share, ClockShareLow: 0.3}}, profile.Of(d).Processes)
	require.Empty(t, (&sampling{}).into(new(result.Document)), "--fast begins none")
}

// A run that ends at once gives a reason for each question: it was interrupted, or the system does not allow it.
func TestInterruptedRunSaysWhatIsMissing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d, err := Run(ctx, result.Tool{}, false, nil)
	require.NoError(t, err)
	require.True(t, d.Interrupted)
	for _, what := range []string{"what a read costs", "whether clocks go backwards"} {
		require.Contains(t, whats(d), what)
	}
}

// A fast run lists what it leaves out.
func TestFastRunSaysWhatItLeavesOut(t *testing.T) {
	d, err := Run(context.Background(), result.Tool{}, true, nil)
	require.NoError(t, err)
	require.Subset(t, whats(d), []string{"whether clocks go backwards", diagnose.WhoReads})
	require.Contains(t, d.NotChecked, result.NotChecked{What: diagnose.WhoReads, Why: "the flag --fast leaves this out"})
}

func whats(d *result.Document) (all []string) {
	for _, n := range d.NotChecked {
		all = append(all, n.What)
	}
	return all
}
