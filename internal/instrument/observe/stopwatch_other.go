//go:build !linux && !windows

package observe

import "time"

var epoch = time.Now()

// Now returns the nanoseconds of the stopwatch, Go's monotonic clock since the process started.
func Now() int64 { return int64(time.Since(epoch)) }
