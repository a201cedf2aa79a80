package cmd

import (
	"os"

	"golang.org/x/sys/windows"
)

// movesCursor reports whether a terminal obeys the escape sequences of progress, and
// has a Windows console obey them: it does so only when asked, each output by itself
// (Console Virtual Terminal Sequences, learn.microsoft.com). Those before Windows 10
// cannot.
func movesCursor(terminal *os.File) bool {
	console := windows.Handle(terminal.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
