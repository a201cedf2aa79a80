package watch

import (
	"time"

	"github.com/timebench/timebench/internal/document/result"
)

// The kinds of events. A new kind is a constant here, and a row in docs/watch.md.
const (
	Start         = "start"           // the watch began: the state now
	ClockSource   = "clock_source"    // the kernel uses another clock source
	KernelEntry   = "kernel_entry"    // reads of clocks enter the kernel, or no longer do
	Cost          = "cost"            // a read costs more or less, beyond noise
	TimeSync      = "time_sync"       // the wall clock is synchronised, or no longer is
	WallClockStep = "wall_clock_step" // the wall clock was set
	Suspend       = "suspend"         // the machine slept
	Stall         = "stall"           // the machine did not run
	VMDisruption  = "vm_disruption"   // the hypervisor reports that the machine was restored or migrated
	NewFinding    = "finding"         // an examination found something new
	FindingGone   = "finding_gone"    // it no longer finds it
	Textfile      = "textfile"        // the metrics cannot be written, or can be again
)

// Kinds are all kinds of events.
var Kinds = []string{
	Start, ClockSource, KernelEntry, Cost, TimeSync, WallClockStep, Suspend, Stall, VMDisruption,
	NewFinding, FindingGone, Textfile,
}

// An Event is a change, or the state at the start. Its JSON is a line of `timebench watch --format json`.
type Event struct {
	// Time is when the change was seen, in UTC.
	Time time.Time `json:"time"`
	// Kind is one of Kinds.
	Kind string `json:"event"`
	// Message is one sentence with all that follows, without its full stop.
	Message string `json:"message"`
	// Clocks are the ids of the clocks that changed alike.
	Clocks []string `json:"clocks,omitempty"`
	// From and To are the states before and after: clock sources, values of kernel_entry, or disruption markers.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// OldNS and NewNS are what a read of the first clock cost before and costs now.
	OldNS float64 `json:"old_ns,omitempty"`
	NewNS float64 `json:"new_ns,omitempty"`
	// DurationNS is how long the machine was suspended or stalled.
	DurationNS int64 `json:"duration_ns,omitempty"`
	// OffsetNS is the step of the wall clock; negative if it was set back.
	OffsetNS int64 `json:"offset_ns,omitempty"`
	// Finding is the finding that is new or gone.
	Finding *result.Finding `json:"finding,omitempty"`
	// KernelLog are the lines about clocks that the kernel has written since the last examination.
	KernelLog []string `json:"kernel_log,omitempty"`
}
