package compare

import (
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
)

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

// Scatter returns the picture of the lanes.
func Scatter() picture.Chart[*result.Document] {
	return pictures[slices.IndexFunc(pictures, func(c picture.Chart[*result.Document]) bool { return c.Name == "cost-vs-resolution" })]
}

// LaneNames returns the names of the lanes.
func LaneNames(d *result.Document) (names []string) {
	for _, l := range lanes(d) {
		names = append(names, l.name())
	}
	return names
}
