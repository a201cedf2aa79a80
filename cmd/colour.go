package cmd

import (
	"io"
	"os"

	"github.com/timebench/timebench/internal/render"
	"golang.org/x/term"
)

// A colourTerminal is a terminal that shows tables in colour. Other text stays as it is.
type colourTerminal struct{ *os.File }

// Show writes a table in colour. It restores the mode of the terminal after each table, because
// the process may be killed before the next one.
func (t colourTerminal) Show(table string) error {
	if restore, ok := enableEscapes(t.File); ok {
		defer restore()
		table = render.Paint(table)
	}
	_, err := t.WriteString(table)
	return err
}

// withColour returns the file, as a colourTerminal if it is a terminal.
func withColour(file *os.File) io.Writer {
	if term.IsTerminal(int(file.Fd())) {
		return colourTerminal{file}
	}
	return file
}
