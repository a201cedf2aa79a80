package host

import "time"

// A Sighting is what has happened on this machine up to a moment. Two of them
// tell what happened between. What the system does not tell is 0 in both.
type Sighting struct {
	// At is the moment, with the monotonic clock's reading.
	At time.Time
	// CPUs are the times of the usable CPUs, by number; on a system that tells only their
	// sum it is that of the number 0.
	CPUs map[int]CPUTime
	// OwnSeconds is the CPU time of this process and of its children that ended.
	OwnSeconds float64
	// Throttled is what quotas withheld, by control group; a group that was
	// never throttled has no entry.
	Throttled   map[string]Throttling
	ClockSource string
}

// CPUTime is what became of a CPU's time: BusySeconds in which it worked for any program,
// StealSeconds in which the hypervisor withheld it.
type CPUTime struct{ BusySeconds, StealSeconds float64 }

// Worked returns what became of the time of the CPUs after an earlier sighting, and of how
// many: those that were there in both. One that goes offline, or comes back, takes years of
// time out of the sum, or brings them in.
func (s Sighting) Worked(earlier Sighting) (sum CPUTime, cpus int) {
	for cpu, now := range s.CPUs {
		if before, ok := earlier.CPUs[cpu]; ok {
			sum.BusySeconds += now.BusySeconds - before.BusySeconds
			sum.StealSeconds += now.StealSeconds - before.StealSeconds
			cpus++
		}
	}
	return sum, cpus
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
