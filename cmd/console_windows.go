package cmd

import (
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// movesCursor reports whether a terminal obeys the escape sequences of progress, and
// has a Windows console obey them: it does so only when asked, each output by itself
// (Console Virtual Terminal Sequences, learn.microsoft.com). Those before Windows 10
// cannot. The console outlives this process, so restore gives it its mode back.
func movesCursor(terminal *os.File) (restore func(), ok bool) {
	console := windows.Handle(terminal.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return nil, false
	}
	const obeys = windows.ENABLE_PROCESSED_OUTPUT | windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
	if windows.SetConsoleMode(console, mode|obeys) != nil {
		return nil, false
	}
	return func() { _ = windows.SetConsoleMode(console, mode) }, true
}

// consoleAsItIs returns what gives a console the mode back that it has now, for a process
// that ends before movesCursor's restore is called.
func consoleAsItIs(w io.Writer) (restore func()) {
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
