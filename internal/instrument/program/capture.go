package program

import (
	"os"
	"sync"
)

// tailBytes is how much of the end of standard error is kept.
const tailBytes = 4096

// keep is which part of an output a capture keeps.
type keep int

const (
	keepHead keep = iota // the first bytes, up to the limit
	keepTail             // the last tailBytes
)

// A capture reads one output of a program from a pipe. It keeps a bounded part, and stops reading
// at the limit.
type capture struct {
	in, out *os.File      // the ends of the pipe: in is the program's
	full    chan struct{} // closed when the output exceeds the limit
	done    chan struct{} // closed when nothing more is read

	keep  keep
	limit int64

	mutex sync.Mutex // a reader that outlives Run must not change what Run returned
	kept  []byte
	total int64
}

func newCapture(keep keep, limit int64) (*capture, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &capture{in: in, out: out, keep: keep, limit: limit,
		full: make(chan struct{}), done: make(chan struct{})}, nil
}

// read closes this process's copy of the program's end, and starts to read.
func (c *capture) read() {
	_ = c.in.Close()
	go func() {
		defer close(c.done)
		buffer := make([]byte, 32<<10)
		for {
			n, err := c.out.Read(buffer)
			if c.add(buffer[:n]) {
				close(c.full)
				return
			}
			if err != nil {
				return
			}
		}
	}()
}

// add keeps what belongs to the kept part, and reports whether the output exceeds the limit.
func (c *capture) add(text []byte) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.total += int64(len(text))
	if c.keep == keepHead {
		c.kept = append(c.kept, text[:min(int64(len(text)), c.limit-int64(len(c.kept)))]...)
	} else {
		c.kept = append(c.kept, text...)
		c.kept = c.kept[max(0, len(c.kept)-tailBytes):]
	}
	return c.total > c.limit
}

// exceeded reports whether the output exceeds the limit.
func (c *capture) exceeded() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.total > c.limit
}

// text returns a copy of the kept part.
func (c *capture) text() []byte {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]byte(nil), c.kept...)
}

// close closes both ends. On Unix this also ends a read that waits.
func (c *capture) close() {
	_ = c.in.Close()
	_ = c.out.Close()
}
