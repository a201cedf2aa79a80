package terminal

import (
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// enableEscapes makes a Windows console interpret escape sequences, and reports whether it can. A
// console does not by default, and before Windows 10 it cannot (Console Virtual Terminal
// Sequences, learn.microsoft.com). The mode outlives this process, so restore sets the old one.
func enableEscapes(terminal *os.File) (restore func(), ok bool) {
	console := windows.Handle(terminal.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return nil, false
	}
	const escapes = windows.ENABLE_PROCESSED_OUTPUT | windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
	if windows.SetConsoleMode(console, mode|escapes) != nil {
		return nil, false
	}
	return func() { _ = windows.SetConsoleMode(console, mode) }, true
}

// SaveMode returns a function that restores the current mode of a console, for a process
// that exits before it calls restore of enableEscapes.
func SaveMode(w io.Writer) (restore func()) {
	file, ok := w.(*os.File)
	if !ok {
		return func() {}
	}
	console := windows.Handle(file.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return func() {}
	}
	return func() { _ = windows.SetConsoleMode(console, mode) }
}
