package watch

import (
	"io"
	"time"
)

// Lines prints lines to a stream that may hang, such as the pipe to a log collector that is stopped. Print does not
// wait for it.
type Lines struct {
	waiting chan []byte
	printed chan struct{} // closed when all lines are printed
}

const (
	// waitingLines is how many lines wait while the stream hangs. Further lines are lost.
	waitingLines = 1000
	// lastLines is how long the end waits for them.
	lastLines = time.Second
)

// PrintLines returns lines that are printed to a stream. A line that cannot be written is lost, and the next line is
// tried; failed is called once for failures in a row.
func PrintLines(to io.Writer, failed func(error)) *Lines {
	l := &Lines{waiting: make(chan []byte, waitingLines), printed: make(chan struct{})}
	go func() {
		defer close(l.printed)
		before := false
		for line := <-l.waiting; line != nil; line = <-l.waiting {
			_, err := to.Write(line)
			if err != nil && !before {
				failed(err)
			}
			before = err != nil
		}
	}()
	return l
}

// Print queues a line. It is lost if the queue is full.
func (l *Lines) Print(line []byte) {
	select {
	case l.waiting <- line:
	default:
	}
}

// Close prints the last lines, if the stream takes them. Later lines are lost.
func (l *Lines) Close() {
	limit := time.After(lastLines)
	select {
	case l.waiting <- nil:
	case <-limit:
		return
	}
	select {
	case <-l.printed:
	case <-limit:
	}
}
