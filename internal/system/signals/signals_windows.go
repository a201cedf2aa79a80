package signals

import "time"

// Doubled is 0, because a console sends each event once.
const Doubled time.Duration = 0

// IgnoreClosedPipe does nothing: a write into a pipe without a reader is an error.
func IgnoreClosedPipe() {}
