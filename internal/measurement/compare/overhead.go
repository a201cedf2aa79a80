package compare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// overheadGrid has a row for each call that was measured both through the vDSO and as a system
// call, if the layers of one are not known.
func overheadGrid(d *result.Document) table.Grid {
	g := table.Grid{
		Title:  "System call overhead: the same call through the vDSO and as a system call, in ns/read",
		Header: []string{"Call", "vDSO", "system call", "difference", "95% CI", "vDSO enters kernel"}, Spare: []int{4},
	}
	for _, c := range Of(d).Clocks {
		call, isVDSO := strings.CutSuffix(c.ID, "@vdso")
		if !isVDSO || c.Latency == nil {
			continue
		}
		for _, by := range Of(d).Clocks {
			if by.ID == call+"@syscall" && by.Latency != nil && (len(c.Layers) == 0 || len(by.Layers) == 0) {
				g.Rows = append(g.Rows, overheadRow(c, by))
			}
		}
	}
	if slices.ContainsFunc(g.Rows, func(row []string) bool { return row[len(row)-1] != EntersKernel(result.Never) }) {
		g.Note = "If the vDSO enters the kernel too, the difference is not the system call overhead."
	}
	return g
}

// overheadRow takes the difference of each round, if both were measured in every round: it is
// free of what affected both.
func overheadRow(vdso, syscall Clock) []string {
	name := strings.TrimSuffix(vdso.ID, "@vdso")
	difference := syscall.Latency.MedianNS - vdso.Latency.MedianNS
	between := "-"
	if a, b := vdso.Latency.SamplesNS, syscall.Latency.SamplesNS; len(a) == len(b) && len(a) > 0 {
		rounds := make([]float64, len(a))
		for i := range a {
			rounds[i] = b[i] - a[i]
		}
		summary := stats.Summarize(rounds)
		difference = summary.Median
		between = "needs 6 rounds"
		if summary.Confidence > 0 {
			between = nsDifference(summary.Low) + " to " + nsDifference(summary.High)
		}
	}
	return []string{name, words.NS(vdso.Latency.MedianNS), words.NS(syscall.Latency.MedianNS), nsDifference(difference), between, EntersKernel(cmp.Or(vdso.KernelEntry, result.Unknown))}
}

// nsDifference returns nanoseconds that may be negative, without their unit.
func nsDifference(value float64) string {
	if value < 0 {
		return "-" + words.NS(-value)
	}
	return words.NS(value)
}
