package terminal

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// begun is when this process began, or its last progress bar ended.
var begun = time.Now()

// Progress returns a function that takes how much of a measurement is done, and a function that ends it, complete or
// interrupted. On a terminal, the first total that is known is printed with what is measured, and a bar shows the
// progress and the time that is left, as expected by then.
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
	finished, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(finished)
		bar.Render()
	}()
	var lasts atomic.Int64 // how long the run takes from now on, by what is done
	lasts.Store(int64(total - done))
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		show(tracker, began, &lasts, ended)
	}()
	move = func(done, total time.Duration) {
		lasts.Store(int64(expected(time.Since(began), done, total)))
	}
	return move, func(complete bool) {
		close(ended)
		<-shown // a later value would make the tracker incomplete again
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

// expected returns how long a run takes, by the time and the part done until now. It begins with the planned total; the
// more is done, the more the speed until now counts, if it is slower.
func expected(elapsed, done, total time.Duration) time.Duration {
	if done <= 0 || total <= 0 {
		return max(total, elapsed)
	}
	part := min(1, done.Seconds()/total.Seconds())
	slower := max(1, elapsed.Seconds()/done.Seconds())
	left := (1 - part) * total.Seconds() * (part*slower + 1 - part)
	return elapsed + time.Duration(left*float64(time.Second))
}

// show moves the bar with the time until the run has ended: steps of a run may take seconds. The bar never moves back
// when the run lasts longer than it was expected to.
func show(tracker *progress.Tracker, began time.Time, lasts *atomic.Int64, ended <-chan struct{}) {
	const full = 0.99 // a full tracker would be done
	ticks := time.NewTicker(updateEvery / 2)
	defer ticks.Stop()
	share := 0.0
	for {
		total, elapsed := time.Duration(lasts.Load()), time.Since(began)
		share = max(share, min(elapsed.Seconds()/max(total, elapsed).Seconds(), full))
		tracker.UpdateTotal(int64(total))
		tracker.SetValue(int64(share * float64(total)))
		tracker.UpdateMessage(fmt.Sprintf("measuring, %s left", max(total-elapsed, 0).Round(time.Second))) // go-pretty knows whole per cents only
		select {
		case <-ended:
			return
		case <-ticks.C:
		}
	}
}

// updateEvery is how often the bar is drawn: rarely, because that takes CPU time from the measurement.
const updateEvery = 500 * time.Millisecond
