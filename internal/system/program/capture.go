package program

import (
	"errors"
	"io"
	"os"
)

// A capture reads one output of a program from a pipe, up to a limit.
type capture struct {
	in, out *os.File      // the ends of the pipe: in is the program's
	full    chan struct{} // closed when the output exceeds the limit
	done    chan struct{} // closed when nothing more is read
	limit   int64
	read    []byte // valid after done; one byte more than the limit if the output exceeds it
}

func newCapture(limit int64) (*capture, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &capture{in: in, out: out, limit: limit, full: make(chan struct{}), done: make(chan struct{})}, nil
}

// start closes this process's copy of the program's end, and starts to read.
func (c *capture) start() {
	_ = c.in.Close()
	go func() {
		c.read, _ = io.ReadAll(io.LimitReader(c.out, c.limit+1))
		if int64(len(c.read)) > c.limit {
			close(c.full)
		}
		close(c.done)
	}()
}

// end reads to the end of the output, or waits for a while: a descriptor may have been passed to a process that was not
// ended.
func (c *capture) end() {
	within(grace, c.done)
	_ = c.out.Close() // on Unix this ends a read that waits
	within(grace, c.done)
}

// text returns what was read, up to the limit, and whether the output exceeds it. On Windows a process that was not
// ended may hold the output open, which is then unknown.
func (c *capture) text() (text []byte, exceeded bool, err error) {
	select {
	case <-c.done:
		return c.read[:min(int64(len(c.read)), c.limit)], int64(len(c.read)) > c.limit, nil
	default:
		return nil, false, errors.New("a process that it started holds its output open")
	}
}

func (c *capture) close() {
	_ = c.in.Close()
	_ = c.out.Close()
}
