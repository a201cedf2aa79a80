package compare

import (
	"strings"

	"github.com/timebench/timebench/internal/document/result"
)

// Tests in package compare_test make documents, and use these names.
var (
	Bands          = bands
	Lines          = lines
	Machine        = machine
	Percentiles    = percentiles
	Perfect        = perfect
	ReadsPerSecond = readsPerSecond
)

type PercentileTicks = percentileTicks

// LaneNames returns the names of the lanes, each with the ids of its clocks.
func LaneNames(d *result.Document) (names []string) {
	for _, lane := range lanesOf(d) {
		name := []string{laneName(lane)}
		for _, c := range lane {
			name = append(name, c.ID)
		}
		names = append(names, strings.Join(name, " "))
	}
	return names
}
