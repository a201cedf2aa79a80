//go:build amd64 || arm64

package clock

import (
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/wintime"
)

// systemSteps returns the steps inside the read of a clock, and what the read adds to them; none if they are not known.
//
// How QueryPerformanceCounter reads the counter in order depends on the CPU and is not documented.
func systemSteps(c Clock, _ string) (steps []Step, last string) {
	bypass, ok := wintime.SharedPage.QPCBypass()
	if c.ID != "QueryPerformanceCounter@winapi" || !ok || !bypass.Enabled {
		return nil, ""
	}
	if valid, known := wintime.QueryHypervisorPage().Valid(); bypass.HypervisorPage && (!known || !valid) {
		return nil, ""
	}
	return byCounter(result.Never, "")
}
