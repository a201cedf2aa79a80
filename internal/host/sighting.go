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
	// Throttled is what quotas withheld, by control group; a group that was
	// never throttled has no entry.
	Throttled   map[string]Throttling
	ClockSource string
}

// Throttling is what the quota of a control group withheld: in how many periods,
// and how much CPU time, summed over the CPUs that had to wait.
type Throttling struct{ Periods, NS int64 }

// Since returns what was withheld after an earlier sighting, by the group that was
// throttled longest.
func (s Sighting) Since(earlier Sighting) Throttling {
	var longest Throttling
	for group, now := range s.Throttled {
		before := earlier.Throttled[group]
		if withheld := now.NS - before.NS; withheld > longest.NS {
			longest = Throttling{now.Periods - before.Periods, withheld}
		}
	}
	return longest
}
