package cmd

import "time"

// doubled is 0, because a console sends each event once.
const doubled time.Duration = 0
