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
// progress. If the command turns out to take much longer or shorter, a line corrects the time.
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
	restore, ok := enableEscapes(w)
	if !ok {
		return nil, func(bool) {}
	}
	began, width := time.Now(), screen{w}.Width()
	before := began.Sub(begun)
	announced := announcement{before: max(done, before), after: max(0, before-done)}
	announced.total = rounded(announced.before + total - done + announced.after)
	_, _ = io.WriteString(w, table.Indented(fmt.Sprintf("%s: about %s.", what, announced.total), 0, width))
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
		show(tracker, began, &lasts, ended, func(elapsed, total time.Duration) {
			if line := announced.corrected(elapsed, total); line != "" {
				bar.Log(line)
			}
		})
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

// An announcement is the announced duration of a command. It includes the time before the bar, and after it for the
// report, which takes about as long as the start of the program: milliseconds, or seconds on a slow machine.
type announcement struct{ before, after, total time.Duration }

// corrected returns a line that corrects the announcement, if it is wrong by more than a quarter; "" otherwise. The bar
// began a time ago, elapsed, and is expected to take total.
func (a *announcement) corrected(elapsed, total time.Duration) string {
	const most, least = 1.25, 0.75
	was, whole, why := a.total, a.before+total+a.after, ""
	if whole.Seconds() > most*was.Seconds() {
		// Without another end in sight the run takes a while longer.
		whole = max(whole, time.Duration(most*float64(a.before+elapsed+a.after)))
		why = ": the machine is busy or slow"
	}
	if s := rounded(whole).Seconds(); s <= most*was.Seconds() && s >= least*was.Seconds() {
		return ""
	}
	a.total = rounded(whole)
	return fmt.Sprintf("This takes about %s, not %s%s.", a.total, was, why)
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
// when the run lasts longer than it was expected to. correct gets the time until now and the expected time.
func show(tracker *progress.Tracker, began time.Time, lasts *atomic.Int64, ended <-chan struct{},
	correct func(elapsed, total time.Duration)) {
	const full = 0.99 // a full tracker would be done
	ticks := time.NewTicker(updateEvery / 2)
	defer ticks.Stop()
	share := 0.0
	for {
		total, elapsed := time.Duration(lasts.Load()), time.Since(began)
		correct(elapsed, max(total, elapsed))
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

// rounded returns a duration in whole seconds, at least one.
func rounded(d time.Duration) time.Duration { return max(time.Second, d.Round(time.Second)) }
