package cmd

import (
	"io"
	"os"

	"github.com/timebench/timebench/internal/render"
	"golang.org/x/term"
)

// A painter shows in colour what goes through it, each write by itself. The terminal has
// its mode back after each, however the process ends.
type painter struct{ terminal *os.File }

func (p painter) Write(plain []byte) (int, error) {
	text := string(plain)
	if restore, ok := movesCursor(p.terminal); ok {
		defer restore()
		text = render.Paint(text)
	}
	if _, err := p.terminal.WriteString(text); err != nil {
		return 0, err
	}
	return len(plain), nil
}

// painted is the output, in colour where it is a terminal.
func painted(output *os.File) io.Writer {
	if term.IsTerminal(int(output.Fd())) {
		return painter{output}
	}
	return output
}
