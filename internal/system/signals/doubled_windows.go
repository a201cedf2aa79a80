package signals

import (
	"time"
)

// Doubled is 0, because a console sends each event once.
const Doubled time.Duration = 0
