package compare

import (
	"github.com/timebench/timebench/internal/picture"
	"github.com/timebench/timebench/internal/result"
)

// pictures are those of what clocks cost.
var pictures = []picture.Chart[*result.Document]{
	{Name: "latency", Title: "What one read of each clock costs", Drawable: hasLatency, Subtitle: machine, Height: latencyHeight, Draw: drawLatency},
	{Name: "cost-vs-resolution", Title: "Cost of a clock against its resolution", Drawable: hasResolution, Subtitle: machine, Height: scatterHeight, Draw: drawScatter},
	{Name: "time-per-read", Title: "Wall time of one read, as one thread sees it", Drawable: hasThroughput, Subtitle: machine, Height: linesHeight, Draw: drawTimePerRead},
	{Name: "reads-per-second", Title: "Reads a second of all threads together", Drawable: hasThroughput, Subtitle: machine, Height: linesHeight, Draw: drawReadsPerSecond},
	{Name: "clock-sources", Title: "What one read costs under each clock source", Drawable: hasSources, Subtitle: machine, Height: sourcesHeight, Draw: drawSources},
	{Name: "clock-sources-scaling", Title: "Reads a second under each clock source", Drawable: hasSourceScaling, Subtitle: machine, Height: sourceScalingHeight, Draw: drawSourceScaling},
	{Name: "distribution", Title: "How long single reads take", Drawable: hasDistribution, Subtitle: machine, Height: distributionHeight, Draw: drawDistribution},
}

// machine is the subtitle of a picture of all clocks.
func machine(d *result.Document) string {
	return picture.Machine(d, len(d.Clocks))
}

// measured returns the clocks that have a latency, in the document's order: the first.
func measured(d *result.Document) []result.Clock {
	var clocks []result.Clock
	for _, c := range d.Clocks {
		if c.Available && c.Latency != nil && c.Latency.MedianNS > 0 {
			clocks = append(clocks, c)
		}
	}
	return picture.Shown(clocks)
}

func hasLatency(d *result.Document) bool { return len(measured(d)) > 0 }
