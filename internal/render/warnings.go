package render

import (
	"fmt"

	"github.com/timebench/timebench/internal/result"
)

// warnings returns the warnings: what happened, what it may have affected, and the remedy.
func warnings(d *result.Document) []string {
	var lines []string
	if d.Interrupted {
		lines = append(lines, "the run was interrupted; only complete measurements are shown.")
	}
	for _, w := range d.Warnings {
		lines = append(lines, fmt.Sprintf("%s. It may have affected %s. What to do: %s.", w.Saw, w.Spoilt, w.Advice))
	}
	return lines
}
