package terminal

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// Progress prints what is measured and about how long it takes, and shows a progress bar;
// on a terminal only. It returns a function that updates the bar (nil if there is none), and one
// that ends the bar, complete or interrupted.
func Progress(w io.Writer, quiet bool, what string, estimate time.Duration) (update func(done, total time.Duration), stop func(complete bool)) {
	file, _ := w.(*os.File)
	// The bar moves the cursor back, over debug output too.
	if quiet || debuglog.On() || !Is(w) {
		return nil, func(bool) {}
	}
	restore, ok := enableEscapes(file)
	if !ok {
		return nil, func(bool) {}
	}
	_, _ = fmt.Fprintf(w, "%s: about %s.\n", what, RoundUp(estimate))
	tracker := &progress.Tracker{Message: "measuring", Total: int64(estimate), Units: progress.Units{Formatter: func(int64) string { return "" }}}
	bar := progress.NewWriter()
	bar.SetOutputWriter(w)
	bar.SetUpdateFrequency(500 * time.Millisecond) // rarely: it takes CPU time from the measurement
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

// RoundUp returns a duration in whole seconds.
func RoundUp(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}
