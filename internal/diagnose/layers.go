package diagnose

import (
	"fmt"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// whatToWin returns where the time of a read goes that enters the kernel, and what would be left of it if it did not: of the
// first everyday clock whose layers are known.
func whatToWin(d *result.Document, entering []compare.Clock) []string {
	for _, c := range entering {
		parts := compare.Parts(c.Layers)
		if c.Latency == nil || len(parts) == 0 || !Everyday(c.ID) {
			continue
		}
		var each []string
		for _, l := range parts {
			each = append(each, words.NS(l.NS)+" "+l.Name)
		}
		text := fmt.Sprintf("of the %s ns of %s: %s", words.NS(c.Latency.MedianNS), c.ID, words.List(each))
		if name := clockSource(d); name != "" {
			text += " (" + name + ")"
		}
		if c.UserModeNS > 0 {
			text += "; if the vDSO could read the counter of the CPU, about " + words.NS(c.UserModeNS) + " ns would be left"
		}
		return []string{text}
	}
	return nil
}
