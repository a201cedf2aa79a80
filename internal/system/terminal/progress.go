package terminal

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// begun is when this process began, or its last progress bar ended.
var begun = time.Now()

// Progress returns a function that takes how much of a measurement is done, and a function that ends it, complete or
// interrupted. On a terminal, the first total that is known is printed with what is measured, and a bar shows the
// progress and the time that is left.
func Progress(w io.Writer, quiet bool, what string) (update func(done, total time.Duration), stop func(complete bool)) {
	file, _ := w.(*os.File)
	var move func(done, total time.Duration)
	end, announced := func(bool) {}, quiet || debuglog.On() || !Is(w) // the bar moves the cursor back, over debug output too
	update = func(done, total time.Duration) {
		if !announced && total > 0 {
			announced = true
			move, end = bar(file, what, done, total)
		}
		if move != nil {
			move(done, total)
		}
	}
	return update, func(complete bool) { end(complete) }
}

// bar prints what is measured and shows a bar. move is nil if the terminal cannot show it.
func bar(w *os.File, what string, done, total time.Duration) (move func(done, total time.Duration),
	end func(complete bool)) {
	began, width := time.Now(), screen{w}.Width()
	// The report takes about as long as the start of the program: milliseconds, or seconds on a slow machine.
	start := began.Sub(begun)
	whole := max(done, start) + total - done + max(0, start-done)
	_, _ = io.WriteString(w, table.Indented(fmt.Sprintf("%s: about %s.", what, max(time.Second, whole.Round(time.Second))), 0, width))
	restore, ok := enableEscapes(w)
	if !ok {
		return nil, func(bool) {}
	}
	tracker := &progress.Tracker{Total: int64(total),
		Units: progress.Units{Formatter: func(int64) string { return "" }}}
	bar := progress.NewWriter()
	bar.SetOutputWriter(w)
	bar.SetUpdateFrequency(updateEvery)
	bar.SetNumTrackersExpected(1)
	const most, beside = 40, 50 // columns of the bar, and of the text beside it
	bar.SetTrackerLength(min(most, width-beside))
	bar.Style().Visibility.Value = false
	bar.Style().Options.TimeInProgressPrecision = 100 * time.Millisecond
	bar.AppendTracker(tracker)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		bar.Render()
	}()
	move = func(done, total time.Duration) {
		const full = 0.99 // a full tracker would be done
		tracker.UpdateTotal(int64(total))
		tracker.SetValue(max(tracker.Value(), int64(min(done.Seconds(), full*total.Seconds())*float64(time.Second))))
		left := max(total-done, 0)
		if elapsed := time.Since(began); done > 0 && elapsed > done { // a run that was slower than planned stays so
			left = time.Duration(left.Seconds() * elapsed.Seconds() / done.Seconds() * float64(time.Second))
		}
		tracker.UpdateMessage(fmt.Sprintf("measuring, %s left", left.Round(time.Second))) // go-pretty knows whole per cents only
	}
	return move, func(complete bool) {
		if complete {
			tracker.UpdateMessage("measuring")
			tracker.MarkAsDone()
		} else {
			tracker.UpdateMessage("interrupted")
			tracker.MarkAsErrored()
		}
		bar.Stop()
		<-finished
		restore()
		begun = time.Now()
	}
}

// updateEvery is how often the bar is drawn: rarely, because that takes CPU time from the measurement.
const updateEvery = 500 * time.Millisecond
