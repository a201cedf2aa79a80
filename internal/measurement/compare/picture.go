package compare

import (
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/picture"
)

// pictures are the pictures of the costs of clocks.
var pictures = []picture.Chart[*result.Document]{
	{Name: "latency", Title: "Latency of each clock", Drawable: hasLatency, Subtitle: machine, Height: latencyHeight, Draw: drawLatency},
	{Name: "layers", Title: "Where the time of a read goes", Drawable: hasLayers, Subtitle: machine, Height: layersHeight, Draw: drawLayers},
	{Name: "cost-vs-resolution", Title: "Latency and resolution of each clock", Drawable: hasResolution, Subtitle: machine, Height: scatterHeight, Draw: drawScatter},
	{Name: "time-per-read", Title: "Wall time per read of one thread, by number of threads", Drawable: hasThroughput, Subtitle: machine, Height: linesHeight, Draw: drawTimePerRead},
	{Name: "reads-per-second", Title: "Reads per second of all threads, by number of threads", Drawable: hasThroughput, Subtitle: machine, Height: linesHeight, Draw: drawReadsPerSecond},
	{Name: "clock-sources", Title: "Latency by clock source", Drawable: hasSources, Subtitle: machine, Height: latencyHeight, Draw: drawSources},
	{Name: "clock-sources-scaling", Title: "Reads per second by clock source", Drawable: hasSourceScaling, Subtitle: machine, Height: sourceScalingHeight, Draw: drawSourceScaling},
	{Name: "distribution", Title: "Distribution of single reads", Drawable: hasDistribution, Subtitle: machine, Height: distributionHeight, Draw: drawDistribution},
}

// machine returns the subtitle of a picture of all clocks.
func machine(d *result.Document) string {
	return section.Caption(d, len(Of(d).Clocks))
}

// measured returns the first clocks with a latency, in the order of the document.
func measured(d *result.Document) []Clock {
	var clocks []Clock
	for _, c := range Of(d).Clocks {
		if c.Available && c.Latency != nil && c.Latency.MedianNS > 0 {
			clocks = append(clocks, c)
		}
	}
	return picture.Shown(clocks)
}

func hasLatency(d *result.Document) bool { return len(measured(d)) > 0 }
