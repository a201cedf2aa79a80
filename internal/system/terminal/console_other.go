//go:build !windows

package terminal

import (
	"io"
	"os"
)

// enableEscapes reports that a terminal interprets escape sequences.
func enableEscapes(*os.File) (restore func(), ok bool) { return func() {}, true }

// SaveMode does nothing: enableEscapes changes no mode of a terminal.
func SaveMode(io.Writer) (restore func()) { return func() {} }
