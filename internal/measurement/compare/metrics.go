package compare

import (
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/exposition"
)

// kernelEntries are the values of timebench_clock_enters_kernel. What is not known has none.
var kernelEntries = map[string]float64{result.Always: 1, result.Sometimes: 0.5, result.Never: 0}

// Metrics returns the costs of the clocks for Prometheus, in seconds.
func (c *Costs) Metrics() []exposition.Family {
	read := exposition.Family{Name: "timebench_clock_read_seconds", Type: exposition.Gauge, Help: "Time of one read of the clock: the median."}
	low := exposition.Family{Name: "timebench_clock_read_low_seconds", Type: exposition.Gauge, Help: "Time of one read of the clock: the lower end of the confidence interval of the median."}
	high := exposition.Family{Name: "timebench_clock_read_high_seconds", Type: exposition.Gauge, Help: "Time of one read of the clock: the upper end of the confidence interval of the median."}
	kernel := exposition.Family{Name: "timebench_clock_enters_kernel", Type: exposition.Gauge, Help: "1 if a read of the clock enters the kernel, 0.5 if it sometimes does, 0 if it does not."}
	tick := exposition.Family{Name: "timebench_clock_resolution_seconds", Type: exposition.Gauge, Help: "Step between two values of the clock."}
	layer := exposition.Family{Name: "timebench_clock_layer_seconds", Type: exposition.Gauge, Help: "Time that a part of one read of the clock takes."}
	for _, c := range c.Clocks {
		if !c.Available {
			continue
		}
		labels := []string{"clock", c.ID}
		add := func(to *exposition.Family, value float64) {
			to.Samples = append(to.Samples, exposition.Sample{Labels: labels, Value: value})
		}
		if l := c.Latency; l != nil {
			add(&read, l.MedianNS/1e9)
			if l.Confidence > 0 {
				add(&low, l.LowNS/1e9)
				add(&high, l.HighNS/1e9)
			}
		}
		for _, l := range c.Layers {
			layer.Samples = append(layer.Samples, exposition.Sample{Labels: []string{"clock", c.ID, "layer", l.Name}, Value: l.NS / 1e9})
		}
		if enters, ok := kernelEntries[c.KernelEntry]; ok {
			add(&kernel, enters)
		}
		if r := c.Resolution; r != nil && r.TickNS > 0 {
			add(&tick, r.TickNS/1e9)
		}
	}
	return []exposition.Family{read, low, high, layer, kernel, tick}
}
