//go:build !windows

package cmd

import (
	"io"
	"os"
)

// enableEscapes reports that a terminal interprets escape sequences.
func enableEscapes(*os.File) (restore func(), ok bool) { return func() {}, true }

// saveConsoleMode does nothing: enableEscapes changes no mode of a terminal.
func saveConsoleMode(io.Writer) (restore func()) { return func() {} }
