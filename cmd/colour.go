package cmd

import (
	"io"
	"os"

	"github.com/timebench/timebench/internal/render"
	"golang.org/x/term"
)

// A screen is a terminal. What is written to it stays as it is; tables are shown.
type screen struct{ *os.File }

// Show writes a table in colour. The terminal has its mode back after each, however the
// process ends.
func (s screen) Show(table string) error {
	if restore, ok := movesCursor(s.File); ok {
		defer restore()
		table = render.Paint(table)
	}
	_, err := s.WriteString(table)
	return err
}

// shown is the output, which shows colour where it is a terminal.
func shown(output *os.File) io.Writer {
	if term.IsTerminal(int(output.Fd())) {
		return screen{output}
	}
	return output
}
