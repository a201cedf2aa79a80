//go:build amd64 || arm64

package clock

import (
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/wintime"
)

// systemLayers returns the layers inside the read of a clock, and what the read adds to them; nil if they are unknown.
func systemLayers(c Clock, _ string) (layers []Layer, last string) {
	if c.ID != "QueryPerformanceCounter@winapi" || wintime.Wine() {
		return nil, "" // Wine fills in nothing of the page, and makes no system call
	}
	userMode, known := wintime.SharedPage.CounterInUserMode(wintime.QueryHypervisorPage())
	if !known {
		return nil, ""
	}
	return counterLayers(userMode)
}

// counterLayers returns the layers inside a read of QueryPerformanceCounter. How it reads the counter in order depends
// on the CPU and is not documented.
func counterLayers(userMode bool) (layers []Layer, last string) {
	if userMode {
		return byCounter(result.Never, "")
	}
	catalog := Catalog()
	call := catalog[slices.IndexFunc(catalog,
		func(c Clock) bool { return c.ID == "NtQueryPerformanceCounter@syscall" })]
	return []Layer{emptyCall, {ID: call.ID, Adds: "the system call", Open: call.Open}}, "the function around it"
}
