//go:build unix

package cmd

import (
	"os/signal"
	"syscall"
)

// ignoreClosedPipe makes a write into a pipe that nobody reads any more an error. Otherwise it ends the process if it
// is standard output (os/signal).
func ignoreClosedPipe() { signal.Ignore(syscall.SIGPIPE) }
