package verify

import (
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
)

// The verdicts on a clock. The values of a OneCPU clock never went backwards on one CPU, but
// did from one CPU to another, or could be watched on one CPU only. A Faulty clock never went
// backwards and has another fault.
const (
	IsMonotonic = "monotonic"
	OneCPU      = "monotonic on one CPU only"
	Backwards   = "went backwards"
	Faulty      = "faulty"
	Unverified  = "not verified"
)

// The kinds of a ClockFault:
//   - backwards: a value is below the previous one on the same thread
//   - warp: a value is below one that another CPU had provably read before
//   - stall: the value stood still
//   - jump: a step exceeds the time that passed on another clock
//   - outside: a value is not between the two of another path that bracket it
//   - resolution: another path reports a different resolution
//   - failed: a read failed
const (
	FaultBackwards  = "backwards"
	FaultWarp       = "warp"
	FaultStall      = "stall"
	FaultJump       = "jump"
	FaultOutside    = "outside"
	FaultResolution = "resolution"
	FaultFailed     = "failed"
)

// ClockFaults are the values of ClockFault.Kind.
var ClockFaults = []string{FaultBackwards, FaultWarp, FaultStall, FaultJump, FaultOutside, FaultResolution, FaultFailed}

// A Verification is how far clocks can be trusted: the result of `timebench verify`.
type Verification struct {
	// DurationNS is the time for which all clocks together were watched.
	DurationNS int64 `json:"duration_ns"`
	// CPUs are the numbers of the CPUs on which threads read, all at the same time.
	CPUs []int `json:"cpus"`
	// LostCPUs are the CPUs that went offline, or had no time for a thread. Later reads of the thread are not
	// counted.
	LostCPUs []int `json:"lost_cpus,omitempty"`
	// Load is whether other threads kept every CPU busy during the run.
	Load bool `json:"load,omitempty"`
	// Clocks has an entry for each clock, each id once.
	Clocks []VerifiedClock `json:"clocks" once:"id"`
	// Relations are pairs of clocks that were compared from the start of the run to its end.
	Relations []Relation `json:"relations,omitempty"`
}

// A VerifiedClock is the result for one clock.
type VerifiedClock struct {
	// ID is the call and the path: CLOCK_MONOTONIC@vdso.
	ID string `json:"id" is:"named"`
	// Verdict is what the clock can be trusted for.
	Verdict string `json:"verdict" is:"monotonic|monotonic on one CPU only|went backwards|faulty|not verified"`
	// Reason is why the clock was not verified, or which check could not be made.
	Reason string `json:"reason,omitempty"`
	// Reads is the number of reads that were compared with the one before on the same thread.
	Reads int64 `json:"reads"`
	// Repeats is the number of those with the same value as the one before.
	Repeats int64 `json:"repeats"`
	// StoodNS is the longest time for which the value provably stood still.
	StoodNS float64 `json:"stood_ns,omitempty"`
	// TickNS is the distance between the values, or the duration of a read if they never repeated.
	TickNS float64 `json:"tick_ns,omitempty"`
	// Witness is the clock used to detect steps and stalls; absent if they were not checked.
	Witness string `json:"witness,omitempty"`
	// Across is the comparison between the CPUs; absent with one CPU, and for a clock of each thread's own.
	Across *Across `json:"across,omitempty"`
	// Bracket is the comparison with the same clock by another path, if there is one.
	Bracket *Bracket `json:"bracket,omitempty"`
	// Faults are the faults of the clock, each kind once.
	Faults []ClockFault `json:"faults,omitempty"`
}

// Across is the comparison of the values that several CPUs read.
type Across struct {
	// Checks is the number of reads compared with a value that another CPU had provably read before.
	Checks int64 `json:"checks"`
	// Pairs is the number of pairs of CPUs, in either direction.
	Pairs int `json:"pairs"`
	// SeesNS is the smallest warp that would have been detected between any two of the CPUs; absent if there were
	// warps.
	SeesNS float64 `json:"sees_ns,omitempty"`
}

// Bracket is the comparison of a clock's values with two of the same clock by another path, one before and one
// after.
type Bracket struct {
	// Against is the id of the other clock.
	Against string `json:"against"`
	// Brackets is the number of reads that were bracketed.
	Brackets int64 `json:"brackets"`
	// OffsetNS is the offset of the clock from the other, by the tightest bracket; negative if it is behind.
	OffsetNS float64 `json:"offset_ns" is:"signed"`
	// BoundNS is the error bound of OffsetNS: half of that bracket, plus the clock's
	// resolution.
	BoundNS float64 `json:"bound_ns"`
	// ResolutionNS is the resolution that the clock's own path reports.
	ResolutionNS float64 `json:"resolution_ns,omitempty"`
	// AgainstResolutionNS is the resolution that the other path reports.
	AgainstResolutionNS float64 `json:"against_resolution_ns,omitempty"`
}

// A ClockFault is one kind of fault of a clock.
type ClockFault struct {
	// Kind is one word for programs.
	Kind string `json:"kind" is:"backwards|warp|stall|jump|outside|resolution|failed"`
	// Count is how often it was observed.
	Count int64 `json:"count" is:"positive"`
	// WorstNS is the size of the largest one, if it has a size.
	WorstNS float64 `json:"worst_ns,omitempty"`
	// CPU is the CPU of the worst one, if known.
	CPU *int `json:"cpu,omitempty"`
	// EarlierCPU is the CPU that had read the larger value before, if it was another.
	EarlierCPU *int `json:"earlier_cpu,omitempty"`
	// Text is what failed, as the system reports it.
	Text string `json:"text,omitempty"`
}

// A Relation is the change of the distance between two clocks during a run.
type Relation struct {
	// Clock is the id of the first clock.
	Clock string `json:"clock"`
	// Against is the id of the second clock.
	Against string `json:"against"`
	// ChangeNS is how far the first clock moved ahead of the second; negative if it fell behind.
	ChangeNS float64 `json:"change_ns" is:"signed"`
	// BoundNS is the error bound of ChangeNS.
	BoundNS float64 `json:"bound_ns"`
	// PPM is ChangeNS as a rate, in ppm.
	PPM float64 `json:"ppm" is:"signed"`
	// Steady is whether the two should keep their distance unless one is set: CLOCK_REALTIME and CLOCK_MONOTONIC.
	Steady bool `json:"steady,omitempty"`
	// Held is false if they should have kept their distance and did not.
	Held bool `json:"held"`
}

// Held reports whether every clock that could be verified can be trusted, and every relation
// held.
func (v *Verification) Held() bool {
	for _, c := range v.Clocks {
		if len(c.Faults) > 0 {
			return false
		}
	}
	for _, r := range v.Relations {
		if !r.Held {
			return false
		}
	}
	return true
}

// key is the key of the section in a document.
const key = "verification"

// Kind is the kind of this section.
var Kind = section.Kind{Kind: result.Kind{
	Key: key,
	New: func() result.Section { return new(Verification) },
}, Command: "verify", Pictures: pictures, Compare: section.Comparing(key, changesTitle, changesOf)}

// Of returns the section of a document; nil if it has none.
func Of(d *result.Document) *Verification { return result.Of[*Verification](d) }

// Key returns the key of the section in a document.
func (*Verification) Key() string { return key }

// Check reports more repeats than reads.
func (v *VerifiedClock) Check(c *result.Checker) { c.Part("repeats", v.Repeats, v.Reads, "reads") }
