//go:build !windows

package cmd

import (
	"io"
	"os"
)

// movesCursor reports whether a terminal obeys the escape sequences of progress.
func movesCursor(*os.File) (restore func(), ok bool) { return func() {}, true }

// consoleAsItIs: a terminal has no mode that progress changes.
func consoleAsItIs(io.Writer) (restore func()) { return func() {} }
