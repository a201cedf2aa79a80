package cmd

import (
	"io"
	"strings"

	"github.com/timebench/timebench/internal/system/terminal"
)

// An output keeps the first error of a write, and does not return it: cobra ignores an error of
// --help, or prints it in its own way.
type output struct {
	to  io.Writer
	err error
}

func (o *output) Write(text []byte) (int, error) {
	if o.err == nil {
		_, o.err = o.to.Write(text)
	}
	return len(text), nil
}

// Show writes a table, in colour on a terminal.
func (o *output) Show(text string) error {
	if o.err == nil {
		o.err = terminal.Show(o.to, text)
	}
	return nil
}

// Width returns the width of text on the output: see [terminal.Width].
func (o *output) Width() int { return terminal.Width(o.to) }

// Height returns the number of lines of a terminal: see [terminal.Height].
func (o *output) Height() int { return terminal.Height(o.to) }

// A shorter output leaves the last lines of a terminal to a text below it.
type shorter struct {
	*output
	by int
}

func (s shorter) Height() int { return max(s.output.Height()-s.by, min(s.output.Height(), 1)) }

// above returns an output that leaves room for the text below it.
func above(stdout io.Writer, below string) io.Writer {
	if o, ok := stdout.(*output); ok {
		return shorter{o, strings.Count(below, "\n")}
	}
	return stdout
}
