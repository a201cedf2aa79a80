//go:build !windows

package signals

import (
	"os/signal"
	"syscall"
	"time"
)

// Doubled is the time within which a repeated signal counts once: timeout(1) sends its signal to the process and to its
// process group, microseconds apart.
const Doubled = 100 * time.Millisecond

// IgnoreClosedPipe makes a write into a pipe without a reader an error. Otherwise such a write to standard output ends
// the process (os/signal).
func IgnoreClosedPipe() { signal.Ignore(syscall.SIGPIPE) }
