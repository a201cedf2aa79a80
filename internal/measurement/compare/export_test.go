package compare

import "github.com/timebench/timebench/internal/document/result"

// What the tests need that make up documents, for which they stand in a package of their own.
var (
	Bands          = bands
	DrawScatter    = drawScatter
	HasResolution  = hasResolution
	Lines          = lines
	Machine        = machine
	Percentiles    = percentiles
	Perfect        = perfect
	ReadsPerSecond = readsPerSecond
	ScatterHeight  = scatterHeight
	Spots          = spots
)

const SpotRadius = spotRadius

type PercentileTicks = percentileTicks

func (s spot) Clock() Clock { return s.clock }

// LaneNames returns the names of the lanes.
func LaneNames(d *result.Document) (names []string) {
	for _, l := range lanes(d) {
		names = append(names, l.name())
	}
	return names
}
