package host

import "time"

// A Sighting is a set of counters of this machine at a moment. The difference of two sightings is what happened in
// between. A missing counter is 0.
type Sighting struct {
	// At is the moment, with a reading of the monotonic clock.
	At time.Time
	// CPUs are the times of the usable CPUs, by number. If the system has only their sum, it is
	// the entry of CPU 0.
	CPUs map[int]CPUTime
	// OwnSeconds is the CPU time of this process and of its ended children.
	OwnSeconds float64
	// Throttled is by control group; a group that was never throttled has no entry.
	Throttled map[string]Throttling
}

// CPUTime is the time of a CPU: BusySeconds in which it worked for any program, StealSeconds in
// which the hypervisor ran something else.
type CPUTime struct{ BusySeconds, StealSeconds float64 }

// Worked returns the CPU time since an earlier sighting, and the number of CPUs. It counts only
// CPUs that are in both: a CPU that goes offline or comes back would change the sum by its
// whole uptime.
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

// Throttling is how often and how long a quota stopped a control group: periods, and
// nanoseconds summed over the CPUs.
type Throttling struct{ Periods, NS int64 }

// Since returns the throttling since an earlier sighting, of the control group that was
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
