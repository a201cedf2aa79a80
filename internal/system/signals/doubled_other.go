//go:build !windows

package signals

import (
	"time"
)

// Doubled is the time within which the same signal again is no second wish: timeout(1) sends its signal to the
// process and to its process group, microseconds apart.
const Doubled = 100 * time.Millisecond
