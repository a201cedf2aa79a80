//go:build unix

package signals

import (
	"os/signal"
	"syscall"
)

// IgnoreClosedPipe makes a write into a pipe that nobody reads any more an error. Otherwise it ends the process if it
// is standard output (os/signal).
func IgnoreClosedPipe() { signal.Ignore(syscall.SIGPIPE) }
