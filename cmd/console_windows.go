package cmd

import (
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
