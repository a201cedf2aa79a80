package measure

import (
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// Availability returns an entry for each clock: available here, or why not.
func Availability(clocks []clock.Clock) ([]compare.Clock, error) {
	entries := make([]compare.Clock, 0, len(clocks))
	err := thread.Run(thread.Any, func() {
		for _, c := range clocks {
			entry := compare.Clock{ID: c.ID, Call: c.Call, Path: string(c.Path), Kind: string(c.Kind), TicksPerSecond: c.Hz, Available: true}
			if _, err := c.Open(); err != nil {
				entry.Available, entry.Reason = false, err.Error()
			}
			entries = append(entries, entry)
		}
	})
	return entries, err
}
