package host

import "time"

// A Sighting is what has happened on this machine up to a moment. Two of them
// tell what happened between. What the system does not tell is 0 in both.
type Sighting struct {
	// At is the moment, with the monotonic clock's reading.
	At time.Time
	// BusySeconds is the time that the usable CPUs worked for any program,
	// StealSeconds the time that the hypervisor withheld them.
	BusySeconds, StealSeconds float64
	// OwnSeconds is the CPU time of this process and of its children that ended.
	OwnSeconds float64
	// ThrottledPeriods and ThrottledNS are those of the process's control
	// groups.
	ThrottledPeriods, ThrottledNS int64
	ClockSource                   string
}
