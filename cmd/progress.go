package cmd

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/measure"
	"github.com/timebench/timebench/internal/trace"
	"github.com/timebench/timebench/internal/words"
	"golang.org/x/term"
)

// showProgress says how long a run will take and shows how it goes, on a
// terminal and nowhere else; source is the clock source that was switched to, if one
// was. It returns what the run tells its progress to (nil
// where nothing is shown), and what ends the showing, told whether the run was
// complete.
func showProgress(w io.Writer, quiet bool, source string, clocks []clock.Clock, s measure.Settings) (tell func(done, total time.Duration), stop func(complete bool)) {
	under := ""
	if source != "" {
		under = " under clock source " + source
	}
	return showBar(w, quiet, fmt.Sprintf("Measuring %s with %s%s", words.Plural(len(clocks), "clock"), load(s), under), s.Estimate(clocks))
}

// showBar is showProgress of anything that takes a while.
func showBar(w io.Writer, quiet bool, what string, estimate time.Duration) (tell func(done, total time.Duration), stop func(complete bool)) {
	file, ok := w.(*os.File)
	// The bar moves the cursor back over what was written meanwhile.
	if quiet || trace.On() || !ok || !term.IsTerminal(int(file.Fd())) {
		return nil, func(bool) {}
	}
	restore, ok := movesCursor(file)
	if !ok {
		return nil, func(bool) {}
	}
	_, _ = fmt.Fprintf(w, "%s: about %s.\n", what, roundUp(estimate))
	tracker := &progress.Tracker{Message: "measuring", Total: int64(estimate), Units: progress.Units{Formatter: func(int64) string { return "" }}}
	bar := progress.NewWriter()
	bar.SetOutputWriter(w)
	bar.SetUpdateFrequency(500 * time.Millisecond) // seldom: it takes a CPU from what is measured
	bar.SetNumTrackersExpected(1)
	bar.SetTrackerLength(40)
	bar.Style().Visibility.ETA = true
	bar.Style().Visibility.Value = false
	bar.Style().Options.ETAString = "left"
	bar.Style().Options.TimeInProgressPrecision = 100 * time.Millisecond
	bar.AppendTracker(tracker)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		bar.Render()
	}()
	return func(done, _ time.Duration) { tracker.SetValue(int64(done)) }, func(complete bool) {
		if complete {
			tracker.MarkAsDone()
		} else {
			tracker.UpdateMessage("interrupted")
			tracker.MarkAsErrored()
		}
		bar.Stop()
		<-finished
		restore()
	}
}

// load words the numbers of threads, of which there may be many.
func load(s measure.Settings) string {
	noun := "thread"
	if s.Processes {
		noun = "process"
	}
	last := s.Threads[len(s.Threads)-1]
	if len(s.Threads) > 1 {
		return fmt.Sprintf("%d to %s", s.Threads[0], words.Plural(last, noun))
	}
	return words.Plural(last, noun)
}

func roundUp(span time.Duration) time.Duration {
	return (span + time.Second - 1).Truncate(time.Second)
}
