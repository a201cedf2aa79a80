//go:build !linux && !windows

package measure

import "time"

var epoch = time.Now()

// stopwatch returns nanoseconds of Go's monotonic clock since the process began.
func stopwatch() int64 { return int64(time.Since(epoch)) }
