//go:build !windows

package cmd

import "time"

// doubled is the time within which the same signal again is no second wish: timeout(1) sends its signal to the
// process and to its process group, microseconds apart.
const doubled = 100 * time.Millisecond
