package measured

import (
	"testing"

	"github.com/timebench/timebench/internal/instrument/stats"
)

// Medians are the samples of a benchmark, by the name of the metric.
type Medians map[string][]float64

// Add adds a sample.
func (m Medians) Add(metric string, sample float64) { m[metric] = append(m[metric], sample) }

// Report reports the median of each metric, instead of the length of an iteration, which says nothing.
func (m Medians) Report(b *testing.B) {
	b.ReportMetric(0, "ns/op")
	for metric, samples := range m {
		b.ReportMetric(stats.Median(samples), metric)
	}
}
