//go:build !windows

package terminal

import (
	"io"
	"os"
)

// enableEscapes reports whether a terminal interprets escape sequences. A dumb one, such as a shell of Emacs, shows
// them.
func enableEscapes(*os.File) (restore func(), ok bool) { return func() {}, os.Getenv("TERM") != "dumb" }

// SaveMode does nothing: enableEscapes changes no mode of a terminal.
func SaveMode(io.Writer) (restore func()) { return func() {} }
