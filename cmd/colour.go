package cmd

import (
	"io"
	"os"
	"strconv"

	"github.com/timebench/timebench/internal/report/render"
	"github.com/timebench/timebench/internal/show/table"
	"golang.org/x/term"
)

// A colourTerminal is a terminal that shows tables in colour. Other text stays as it is.
type colourTerminal struct{ *os.File }

// Show writes a table in colour. It restores the mode of the terminal after each table, because
// the process may be killed before the next one.
func (t colourTerminal) Show(text string) error {
	if restore, ok := enableEscapes(t.File); ok {
		defer restore()
		text = render.Paint(text)
	}
	_, err := t.WriteString(text)
	return err
}

// Width returns the width of the terminal in columns; that of COLUMNS, if it is set.
func (t colourTerminal) Width() int {
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || width <= 0 {
		if width, _, err = term.GetSize(int(t.Fd())); err != nil || width <= 0 {
			return table.Width
		}
	}
	return min(max(width, table.Narrowest), widestTerminal)
}

// widestTerminal bounds what COLUMNS can ask for.
const widestTerminal = 1000

// withColour returns the file, as a colourTerminal if it is a terminal.
func withColour(file *os.File) io.Writer {
	if term.IsTerminal(int(file.Fd())) {
		return colourTerminal{file}
	}
	return file
}
