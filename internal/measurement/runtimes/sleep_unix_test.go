//go:build unix

package runtimes

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/internal/show/table"
)

// sleeping returns the settings of a runtime whose benchmark is a script that answers to the command sleep. In the
// script "first" are the sleeps that do not count.
func sleeping(t *testing.T, answer string) Settings {
	t.Helper()
	selected := shell(t, "echo 'Shell 1.2'", hooked(t, `first="1 1 1 1 1 1 1 1 1 1"
[ $verb = sleep ] && `+answer+" && continue"))
	selected.Sleeps = []string{"nap", "absent"}
	return Settings{Runtimes: []Selected{selected}, Spans: []time.Duration{time.Microsecond}, Sleeps: 10}
}

// lateNS are ten sleeps of 1 µs that count. Two of them end early.
const lateNS = `case $name in absent) echo missing not in this version ;; *) echo $first 2 -300 5 1 3 4 -2 6 900 7 ;; esac`

func TestSleepsAreWhatTheBenchmarkPrints(t *testing.T) {
	s := run(t, sleeping(t, lateNS))
	r := s.Runtimes[0]
	require.True(t, r.Available, r.Reason)
	require.Empty(t, r.Calls)
	require.Equal(t, "not in this version", r.Sleeps[1].Reason)
	require.Empty(t, r.Sleeps[1].Spans)
	nap := r.Sleeps[0]
	require.Equal(t, "nap@shell", nap.ID)
	slept := nap.Spans[0]
	require.Equal(t, []float64{3.5, 3.5, 3.5}, slept.PartMediansNS, "a part is a start")
	require.NotEmpty(t, slept.SystemCallBy)
	slept.SystemCallBy = ""
	require.Equal(t, wake.SleepSpan{SpanNS: 1000, Samples: 30, Early: 6, MinLateNS: -300, MedianLateNS: 3.5, MaxLateNS: 900,
		PartMediansNS: slept.PartMediansNS}, slept)
	block := s.Block(nil)
	require.Equal(t, "For a sleep of 1 µs use nap@shell, 3.5 ns late (some end early).", block.Verdict)
	require.Equal(t, []string{"nap@shell ends early: 6 of 30 sleeps of 1 µs, by up to 300 ns."}, block.Faults)
	require.Equal(t, []table.Fact{{Name: "shell", Value: "nap 3.5 ns (some end early)"}}, block.Facts.Lines)
	require.Contains(t, block.Missing, table.Fact{Name: "absent@shell", Value: "not in this version"})
}

// A program without possible sleeps has no figures, but the reason.
func TestImpossibleSleeps(t *testing.T) {
	for answer, reason := range map[string]string{
		"echo $first 1 2 3 4 5 6 7 8 9 1e12": "^its stopwatch counted .* while .* passed$",
		"exit 3":                             "exit status 3",
		"echo missing these words":           "^these words$",
	} {
		r := run(t, sleeping(t, answer)).Runtimes[0]
		require.False(t, r.Available, answer)
		require.Regexp(t, reason, r.Reason, answer)
	}
}

// A signal ends a sleep that does not end. Complete figures are kept.
func TestInterruptedSleep(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	s := sleeping(t, lateNS)
	s.Runtimes, s.Starts = append(s.Runtimes, sleeping(t, "echo >"+started+" && exec sleep 1000").Runtimes...), 1
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for _, err := os.Stat(started); err != nil && t.Context().Err() == nil; _, err = os.Stat(started) {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	measured, err := Run(ctx, s, func(_, _ time.Duration) {})
	require.NoError(t, err)
	require.Len(t, measured.Runtimes[0].Sleeps[0].Spans, 1)
	require.False(t, measured.Runtimes[1].Available)
	require.Equal(t, "interrupted", measured.Runtimes[1].Reason)
}

func TestRoundedSleep(t *testing.T) {
	for want, s := range map[string]wake.SleepSpan{
		"rounded to 1 ms by epoll_wait":                {SystemCall: "epoll_wait", SystemCallNS: 1e6},
		"rounded to 1 ms before futex, which takes ns": {SystemCall: "futex", SystemCallNS: 988e3, Deadline: true},
		"": {SystemCall: "nanosleep", SystemCallNS: 100e3},
	} {
		s.SpanNS = 100e3
		require.Equal(t, want, rounded(&s))
	}
	require.Empty(t, rounded(&wake.SleepSpan{SpanNS: 1e6, SystemCall: "epoll_wait", SystemCallNS: 1e6}))
}

// A diff compares the lateness of sleeps, and names another system call and sleeps that now end early.
func TestChangedSleeps(t *testing.T) {
	document := func(call string, lateNS ...float64) *result.Document {
		slept := wake.NewSpan(time.Millisecond, [][]float64{lateNS, lateNS})
		slept.SystemCall = call
		d := &result.Document{}
		d.Put(&Runtimes{Runtimes: []MeasuredRuntime{{Name: "java", Available: true,
			Sleeps: []wake.SleepWay{{ID: "nap@java", Spans: []wake.SleepSpan{slept}}}}}})
		return d
	}
	c, ok := Kind.Compare(document("poll", 70e3), document("futex", 140e3, 140e3, -300e3), section.Usual)
	require.True(t, ok)
	require.Contains(t, c.Settings, section.Difference{What: "nap@java, 1 ms system call", Old: "poll", New: "futex"})
	require.Contains(t, c.Settings, section.Difference{What: "nap@java, 1 ms ends early", Old: "no", New: "yes"})
	all, _ := c.Value.Count()
	require.Equal(t, 1, all)
}

// Each length of a sleep has a table: a document with more than a run has could keep a reader busy for hours.
func TestTooManySpans(t *testing.T) {
	d := &result.Document{Schema: result.Schema}
	slept := wake.SleepWay{ID: "nap@java", Available: true}
	for i := range result.MostNamed/2 + 1 {
		slept.Spans = append(slept.Spans, wake.NewSpan(time.Duration(i+1), [][]float64{{1}}))
	}
	java := MeasuredRuntime{Name: "java", Available: true, Sleeps: []wake.SleepWay{slept}}
	node := java
	node.Name = "node"
	d.Put(&Runtimes{Runtimes: []MeasuredRuntime{java, node}})
	require.ErrorContains(t, d.Write(io.Discard), "have 4098 spans; they have 4096 at most")
}
