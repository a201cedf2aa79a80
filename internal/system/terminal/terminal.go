// Package terminal shows tables in colour and progress on a terminal.
package terminal

import (
	"io"
	"os"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/timebench/timebench/internal/show/table"
	"golang.org/x/term"
)

// A Screen is an output that shows tables in colour, at a width of its own in columns.
type Screen interface {
	Show(text string) error
	Width() int
}

// Show writes a table, in colour if w is a [Screen]. Other formats are never in colour, since
// people copy JSON and Markdown from a terminal.
func Show(w io.Writer, table string) error {
	if screen, ok := w.(Screen); ok {
		return screen.Show(table)
	}
	_, err := io.WriteString(w, text.StripEscape(table))
	return err
}

// Width returns the width of text for an output: the width of a [Screen] or a terminal, or table.Width elsewhere.
func Width(w io.Writer) int {
	if file, ok := w.(*os.File); ok {
		w = Of(file)
	}
	if screen, ok := w.(Screen); ok {
		return screen.Width()
	}
	return table.Width
}

// Height returns the number of lines of a terminal; 0 for another output.
func Height(w io.Writer) int {
	if screen, ok := w.(interface{ Height() int }); ok {
		return screen.Height()
	}
	return 0
}

// Is reports whether an output is a terminal.
func Is(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Of returns the file, as a [Screen] if it is a terminal.
func Of(file *os.File) io.Writer {
	if Is(file) {
		return screen{file}
	}
	return file
}

// A screen is a terminal. Write leaves text as it is.
type screen struct{ *os.File }

// Show writes a table in colour. It restores the mode of the terminal after each table, because
// the process may be killed before the next one.
func (s screen) Show(table string) error {
	if restore, ok := enableEscapes(s.File); ok {
		defer restore()
	} else {
		table = text.StripEscape(table)
	}
	_, err := s.WriteString(table)
	return err
}

// Width returns the width of the terminal in columns, or COLUMNS if it is set.
func (s screen) Width() int {
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || width <= 0 {
		if width, _, err = term.GetSize(int(s.Fd())); err != nil || width <= 0 {
			return table.Width
		}
	}
	return min(max(width, table.Narrowest), widest)
}

// widest is the maximum width in columns.
const widest = 1000

// Height returns the number of lines of the terminal, or 24 if it is unknown.
func (s screen) Height() int {
	if _, height, err := term.GetSize(int(s.Fd())); err == nil && height > 0 {
		return height
	}
	return 24
}
