package verify

import (
	"cmp"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/words"
)

// The verdicts on a clock. The values of a OneCPU clock never went backwards on one CPU, but did from one CPU to
// another. The values of a NotCompared clock never went backwards on one CPU, and no CPUs were compared. A Faulty clock
// never went backwards and has another fault.
const (
	IsMonotonic = "monotonic"
	NotCompared = "monotonic, CPUs not compared"
	OneCPU      = "monotonic on one CPU only"
	Backwards   = "went backwards"
	Faulty      = "faulty"
	Unverified  = "not verified"
)

// The kinds of a ClockFault:
//   - backwards: a value is below the previous one on the same thread
//   - warp: a value is below a value that another CPU had provably read before
//   - stall: the value stood still
//   - asleep: a thread's CPU time advanced while the thread slept
//   - jump: a step exceeds the time that passed on another clock
//   - fast: the clock runs faster than another clock
//   - outside: a value is not between the two values of another path that bracket it
//   - resolution: another path reports a different resolution
//   - failed: a read failed
const (
	FaultBackwards  = "backwards"
	FaultWarp       = "warp"
	FaultStall      = "stall"
	FaultAsleep     = "asleep"
	FaultJump       = "jump"
	FaultFast       = "fast"
	FaultOutside    = "outside"
	FaultResolution = "resolution"
	FaultFailed     = "failed"
)

// ClockFaults are the values of ClockFault.Kind.
var ClockFaults = []string{FaultBackwards, FaultWarp, FaultStall, FaultAsleep, FaultJump, FaultFast,
	FaultOutside, FaultResolution, FaultFailed}

// Verification is how far clocks can be trusted.
type Verification struct {
	// DurationNS is the time that the measurement took.
	DurationNS int64 `json:"duration_ns"`
	// CPUs are the CPUs on which threads read.
	CPUs []int `json:"cpus"`
	// LostCPUs are CPUs that went offline, or had no time.
	LostCPUs []int `json:"lost_cpus,omitempty"`
	// Load is whether other threads kept every CPU busy.
	Load bool `json:"load,omitempty"`
	// Clocks has an entry for each clock, each id once.
	Clocks []VerifiedClock `json:"clocks" once:"id"`
}

// A VerifiedClock is one clock.
type VerifiedClock struct {
	// ID is call and path: CLOCK_MONOTONIC@vdso.
	ID string `json:"id" is:"named"`
	// Verdict is what the checks showed.
	Verdict string `json:"verdict" is:"monotonic|monotonic, CPUs not compared|monotonic on one CPU only|went backwards|faulty|not verified"`
	// Reason is why something is missing, or what failed.
	Reason string `json:"reason,omitempty"`
	// Reads is the number of compared reads.
	Reads int64 `json:"reads"`
	// Repeats is the number of reads that repeat the value.
	Repeats int64 `json:"repeats"`
	// StoodNS is the longest proven standstill.
	StoodNS float64 `json:"stood_ns,omitempty"`
	// TickNS is the smallest step of the values that was seen.
	TickNS float64 `json:"tick_ns,omitempty"`
	// Witness is the clock that measured pauses.
	Witness string `json:"witness,omitempty"`
	// Across is the comparison between the CPUs; absent with one CPU, and for a clock of each thread's own.
	Across *Across `json:"across,omitempty"`
	// Bracket is the comparison with the same clock by another path, if there is one.
	Bracket *Bracket `json:"bracket,omitempty"`
	// Faults are the faults of the clock, each kind once.
	Faults []ClockFault `json:"faults,omitempty"`
}

// Fault returns the fault of a kind; nil if the clock does not have it.
func (v *VerifiedClock) Fault(kind string) *ClockFault {
	if i := slices.IndexFunc(v.Faults, func(f ClockFault) bool { return f.Kind == kind }); i >= 0 {
		return &v.Faults[i]
	}
	return nil
}

// Across is the comparison between CPUs.
type Across struct {
	// Checks is the number of compared reads.
	Checks int64 `json:"checks"`
	// Pairs is the number of compared pairs, in each direction.
	Pairs int `json:"pairs"`
	// SmallestWarpNS is the smallest detectable warp.
	SmallestWarpNS float64 `json:"smallest_warp_ns,omitempty"`
}

// A Bracket is the comparison with the same clock by another path, read before and after.
type Bracket struct {
	// Against is the other clock.
	Against string `json:"against"`
	// Brackets is the number of brackets.
	Brackets int64 `json:"brackets"`
	// OffsetNS is the offset by the tightest bracket; negative: behind.
	OffsetNS float64 `json:"offset_ns" is:"signed"`
	// BoundNS is the error bound.
	BoundNS float64 `json:"bound_ns"`
	// ResolutionNS is its clock_getres.
	ResolutionNS float64 `json:"resolution_ns,omitempty"`
	// AgainstResolutionNS is the clock_getres of the other path.
	AgainstResolutionNS float64 `json:"against_resolution_ns,omitempty"`
}

// A ClockFault is one kind of fault of a clock.
type ClockFault struct {
	// Kind is one word for programs.
	Kind string `json:"kind" is:"backwards|warp|stall|asleep|jump|fast|outside|resolution|failed"`
	// Count is how often.
	Count int64 `json:"count" is:"positive"`
	// WorstNS is its largest size.
	WorstNS float64 `json:"worst_ns,omitempty"`
	// PPM is how much faster than its witness the clock runs.
	PPM float64 `json:"ppm,omitempty"`
	// CPU is the CPU of the worst fault.
	CPU *int `json:"cpu,omitempty"`
	// EarlierCPU is the CPU that had read the larger value.
	EarlierCPU *int `json:"earlier_cpu,omitempty"`
	// Text is the system's error.
	Text string `json:"text,omitempty"`
}

// Held reports whether every clock that could be verified can be trusted.
func (v *Verification) Held() bool {
	return !slices.ContainsFunc(v.Clocks, func(c VerifiedClock) bool { return len(c.Faults) > 0 })
}

// Missing returns which clocks were not verified on all CPUs, and why, or which warps no clock could detect; "" if all
// clocks that can be read were verified, and at least one would have shown a small warp.
func (v *Verification) Missing() string {
	var why words.Reasons
	for _, c := range v.Clocks {
		if len(c.Faults) > 0 {
			continue
		}
		if c.Verdict != IsMonotonic && (c.Verdict != NotCompared || len(v.CPUs) > 1) {
			c.Reason = cmp.Or(c.Reason, "the CPUs were not compared")
		}
		why.Add(c.ID, c.Reason)
	}
	missing := why.Lines()
	if best := v.smallestWarp(); best != nil {
		missing = append(missing, words.Present(words.Insensitive(best.Across.SmallestWarpNS))...)
	}
	return strings.Join(missing, "; ")
}

// Kind is the kind of this section.
var Kind = section.Kind{New: func() result.Section { return new(Verification) }, Command: "verify",
	Compare: section.Comparing(changesTitle, changesOf)}

// Of returns the section of a document, or nil.
func Of(d *result.Document) *Verification { return result.Of[*Verification](d) }

// Key returns the key of the section in a document.
func (*Verification) Key() string { return "verification" }

// Check reports more repeats than reads.
func (v *VerifiedClock) Check(c *result.Checker) { c.Part("repeats", v.Repeats, v.Reads, "reads") }
