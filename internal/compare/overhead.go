package compare

import (
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/stats"
	"github.com/timebench/timebench/internal/table"
	"github.com/timebench/timebench/internal/words"
)

// overheadGrid holds each call that was made both by the vDSO and by a system call: what
// the kernel's door costs.
func overheadGrid(d *result.Document) table.Grid {
	g := table.Grid{
		Title:  "The price of the kernel's door: the same call by the vDSO and as a system call, in ns",
		Header: []string{"Call", "by vDSO", "system call", "difference", "95 % interval", "vDSO enters"},
	}
	for _, c := range d.Clocks {
		call, isVDSO := strings.CutSuffix(c.ID, "@vdso")
		if !isVDSO || c.Latency == nil {
			continue
		}
		for _, by := range d.Clocks {
			if by.ID == call+"@syscall" && by.Latency != nil {
				g.Rows = append(g.Rows, overheadRow(c, by))
			}
		}
	}
	if slices.ContainsFunc(g.Rows, func(row []string) bool { return row[len(row)-1] != result.Never }) {
		g.Note = "Where the vDSO enters the kernel too, both calls hold the door, and the difference is not its price."
	}
	return g
}

// overheadRow takes the difference round by round, where both were measured in every one:
// what moved both in a round is not in it.
func overheadRow(vdso, syscall result.Clock) []string {
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
	entry := vdso.KernelEntry
	if entry == "" {
		entry = result.Unknown
	}
	return []string{name, words.NS(vdso.Latency.MedianNS), words.NS(syscall.Latency.MedianNS), nsDifference(difference), between, entry}
}

// nsDifference is ns for what may be negative.
func nsDifference(value float64) string {
	if value < 0 {
		return "-" + words.NS(-value)
	}
	return words.NS(value)
}
