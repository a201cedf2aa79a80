package watch

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
)

// A slowed Reader makes factor reads for each read.
type slowed struct {
	clock.Reader
	factor *int
}

func (s slowed) Spin(n int) { s.Reader.Spin(n * *s.factor) }

// BenchmarkAlarms takes turns, and reports the share of turns with a false change of a cost, and after how many turns a
// threefold cost of all clocks is noticed.
func BenchmarkAlarms(b *testing.B) {
	factor := 1
	clocks := clock.Default()
	for i := range clocks {
		open := clocks[i].Open
		clocks[i].Open = func() (clock.Reader, error) {
			reader, err := open()
			return slowed{reader, &factor}, err
		}
	}
	r := newReader(clocks)
	baselines := make([]baseline, len(clocks))
	turn := func() (changed int) {
		l := r.snapshot()
		for i, c := range l.clocks {
			if c.Latency != nil {
				if _, _, moved := baselines[i].next(c.Latency.CostNS(), l.floorNS); moved {
					changed++
				}
			}
		}
		return changed
	}
	turns, alarms := 0, 0
	for b.Loop() {
		turns++
		alarms += min(1, turn())
	}
	b.ReportMetric(100*float64(alarms)/float64(turns), "%-false-alarms")
	factor = 3
	noticed, after := 0, 0
	for ; noticed < len(clocks) && after < 20; after++ {
		noticed += turn()
	}
	require.Positive(b, noticed, "three times the cost")
	b.ReportMetric(float64(after), "turns-to-notice")
}
