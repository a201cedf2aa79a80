package diagnose

import (
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// alone reports whether a document is from a kernel log alone: it has no clocks and nothing else
// that was measured, and no other file of the machine shows its CPUs.
func alone(d *result.Document) bool {
	return d.Host.KernelLog != nil && d.Host.CPU.Logical == 0 && len(compare.Of(d).Clocks) == 0 &&
		!slices.ContainsFunc(d.Sections, func(s result.Section) bool { _, costs := s.(*compare.Costs); return !costs })
}

// fromTheLog begins titles of findings on a document from a kernel log alone.
const fromTheLog = "from a kernel log alone: "
