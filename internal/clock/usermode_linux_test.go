//go:build amd64 || arm64

package clock

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/instrument/stats"
)

// The stand-in does the work of the vDSO: its values are ticks within a mask, multiplied and shifted.
func TestUserModeReads(t *testing.T) {
	standIn := UserMode()[0]
	require.Equal(t, UserModeID, standIn.ID)
	require.NotContains(t, ids(Catalog()), UserModeID, "its values are not those of a clock")
	require.NoError(t, Use(standIn, func(reader Reader) {
		ticks := make([]int64, 10_000)
		reader.Read(ticks)
		require.NoError(t, Failure(reader))
		different := map[int64]bool{}
		for i, at := range ticks {
			require.GreaterOrEqual(t, at, int64(0), "read %d", i)
			require.LessOrEqual(t, at, int64(1.25e6), "read %d", i)
			different[at] = true
		}
		require.Greater(t, len(different), 1, "the counter stands")
		reader.Spin(1000)
		require.NoError(t, Failure(reader))
	}))
}

// BenchmarkUserMode compares the stand-in with the vDSO, if the vDSO reads the counter in user mode: the quickest of
// many short turns of each.
//
//	go test ./internal/clock -run '^$' -bench UserMode -benchtime 20x
func BenchmarkUserMode(b *testing.B) {
	const reads, turns = 2000, 200
	quickest := func(reader Reader) float64 {
		turnNS := make([]float64, turns)
		for i := range turnNS {
			start := time.Now()
			reader.Spin(reads)
			turnNS[i] = float64(time.Since(start)) / reads
		}
		return stats.Quantile(0.1, turnNS)
	}
	var standIn, vdso, ratios []float64
	all := Catalog()
	vdsoClock := all[slices.IndexFunc(all, func(c Clock) bool { return c.ID == "CLOCK_MONOTONIC@vdso" })]
	for b.Loop() {
		for _, c := range append(UserMode(), vdsoClock) {
			require.NoError(b, Use(c, func(reader Reader) {
				if c.ID == UserModeID {
					standIn = append(standIn, quickest(reader))
				} else {
					vdso = append(vdso, quickest(reader))
				}
			}))
		}
		ratios = append(ratios, standIn[len(standIn)-1]/vdso[len(vdso)-1])
	}
	b.ReportMetric(0, "ns/op") // the length of a turn says nothing
	b.ReportMetric(stats.Median(standIn), "stand-in-ns")
	b.ReportMetric(stats.Median(vdso), "vdso-ns")
	b.ReportMetric(stats.Median(ratios), "ratio")
}
