//go:build !linux && !windows

package observe

import "time"

var epoch = time.Now()

// Now returns the stopwatch's nanoseconds: those of Go's monotonic clock since the process
// began.
func Now() int64 { return int64(time.Since(epoch)) }
