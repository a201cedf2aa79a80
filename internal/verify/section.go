package verify

import (
	"fmt"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/section"
)

// What a verification says of a clock. OneCPU is a clock whose values never went
// backwards on any one CPU, but did from one CPU to another; or that could be watched
// on one CPU only. Faulty is one that never went backwards and has another fault.
const (
	IsMonotonic = "monotonic"
	OneCPU      = "monotonic on one CPU only"
	Backwards   = "went backwards"
	Faulty      = "faulty"
	Unverified  = "not verified"
)

// Verdicts are the values of VerifiedClock.Verdict.
var Verdicts = []string{IsMonotonic, OneCPU, Backwards, Faulty, Unverified}

// The kinds of a ClockFault: a value smaller than the one before it on the same
// thread; a value smaller than one that another CPU had certainly read before; a value
// that stood still; a step that the time between two looks at another clock has no room
// for; a value outside of the two that bracket it by another path; a resolution that
// another path states differently; a clock whose distance from another changed that
// should not; a read that failed.
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

// A Verification is whether clocks can be trusted: what `timebench verify` saw.
type Verification struct {
	// DurationNS is how long the clocks were watched, all together.
	DurationNS int64 `json:"duration_ns"`
	// CPUs are the numbers of the CPUs on which threads read, all at once.
	CPUs []int `json:"cpus"`
	// LostCPUs are those of the CPUs that a thread was moved away from while it read,
	// as it is where a CPU goes offline, or that had no time for it; what it read from then
	// on is not counted.
	LostCPUs []int `json:"lost_cpus,omitempty"`
	// Load says that every CPU was kept busy by other threads meanwhile.
	Load bool `json:"load,omitempty"`
	// Clocks has an entry for each clock that was to be verified, no id twice.
	Clocks []VerifiedClock `json:"clocks"`
	// Relations are pairs of clocks held against each other from the beginning of the
	// run to its end.
	Relations []Relation `json:"relations,omitempty"`
}

// A VerifiedClock is what was seen of one clock.
type VerifiedClock struct {
	// ID is the call and the path: CLOCK_MONOTONIC@vdso.
	ID string `json:"id"`
	// Verdict is monotonic, monotonic on one CPU only, went backwards, faulty or not
	// verified.
	Verdict string `json:"verdict"`
	// Reason says why the clock was not verified, or which check could not be made.
	Reason string `json:"reason,omitempty"`
	// Reads counts the reads that were held against the one before them on the same
	// thread.
	Reads int64 `json:"reads"`
	// Repeats counts those of the Reads that gave the value of the read before them.
	Repeats int64 `json:"repeats"`
	// StoodNS is the longest time for which the value certainly stood still.
	StoodNS float64 `json:"stood_ns,omitempty"`
	// TickNS is how far apart the clock's values lay, or what a read took where they
	// never repeated.
	TickNS float64 `json:"tick_ns,omitempty"`
	// Witness is the id of the clock by which steps and standing still were told;
	// absent where there was none, and they were not looked for.
	Witness string `json:"witness,omitempty"`
	// Across is the comparison of the CPUs with each other; absent with one CPU, and
	// for a clock that each thread has for itself.
	Across *Across `json:"across,omitempty"`
	// Bracket is the comparison with the same clock by another path; absent where
	// there is none.
	Bracket *Bracket `json:"bracket,omitempty"`
	// Faults are what was wrong, a kind once; a clock to be trusted has none.
	Faults []ClockFault `json:"faults,omitempty"`
}

// Across is how the values that several CPUs read lie to each other.
type Across struct {
	// Checks counts the reads that were held against a value that another CPU had
	// certainly read before.
	Checks int64 `json:"checks"`
	// Pairs counts the pairs of CPUs, in either direction, that were compared.
	Pairs int `json:"pairs"`
	// SeesNS is how small a warp would have been seen between any two of the CPUs: the
	// least by which a later value was above the earlier one, of the pair where that
	// is greatest; absent where there were warps.
	SeesNS float64 `json:"sees_ns,omitempty"`
}

// Bracket is how a clock's values lie between two of the same clock by another path,
// one read before and one after.
type Bracket struct {
	// Against is the id of the other clock.
	Against string `json:"against"`
	// Brackets counts the reads that were bracketed.
	Brackets int64 `json:"brackets"`
	// OffsetNS is how far the clock is ahead of the other, by the tightest bracket;
	// negative where it is behind.
	OffsetNS float64 `json:"offset_ns"`
	// BoundNS is how far OffsetNS may be from the truth: half of that bracket, and the
	// clock's resolution.
	BoundNS float64 `json:"bound_ns"`
	// ResolutionNS is the resolution that the clock's own path states; absent where it
	// states none.
	ResolutionNS float64 `json:"resolution_ns,omitempty"`
	// AgainstResolutionNS is the one that the other path states.
	AgainstResolutionNS float64 `json:"against_resolution_ns,omitempty"`
}

// A ClockFault is one way in which a clock was seen to be wrong.
type ClockFault struct {
	// Kind is one word for programs: backwards, warp, stall, jump, outside,
	// resolution, failed.
	Kind string `json:"kind"`
	// Count is how often it was seen.
	Count int64 `json:"count"`
	// WorstNS is the largest of them; absent where it has no size.
	WorstNS float64 `json:"worst_ns,omitempty"`
	// CPU is where the worst was seen; absent where the thread's CPU is not known.
	CPU *int `json:"cpu,omitempty"`
	// EarlierCPU is the CPU that had read the larger value before; absent where there
	// is none but CPU.
	EarlierCPU *int `json:"earlier_cpu,omitempty"`
	// Text is what failed, in the system's words.
	Text string `json:"text,omitempty"`
}

// A Relation is what two clocks did to each other during a run.
type Relation struct {
	// Clock is the id of the one.
	Clock string `json:"clock"`
	// Against is the id of the other.
	Against string `json:"against"`
	// ChangeNS is by how much Clock got ahead of Against; negative where it fell
	// behind.
	ChangeNS float64 `json:"change_ns"`
	// BoundNS is how far ChangeNS may be from the truth.
	BoundNS float64 `json:"bound_ns"`
	// PPM is ChangeNS as a rate, in millionths.
	PPM float64 `json:"ppm"`
	// Steady says that the two should keep their distance, as CLOCK_REALTIME and
	// CLOCK_MONOTONIC do unless one is set.
	Steady bool `json:"steady,omitempty"`
	// Held is false where they should have kept their distance and did not.
	Held bool `json:"held"`
}

// Held reports whether every clock that could be verified can be trusted, and every
// relation held.
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

// key is that of the section in a document.
const key = "verification"

// Kind is the kind of this section.
var Kind = section.Kind{Kind: result.Kind{
	Key:     key,
	About:   "verification is there where clocks were verified.",
	New:     func() result.Section { return new(Verification) },
	Choices: map[string][]string{"VerifiedClock.verdict": Verdicts, "ClockFault.kind": ClockFaults},
}, Command: "verify", Pictures: pictures, Compare: section.Comparing(changesOf)}

// Of returns the section of a document; nil where it has none.
func Of(d *result.Document) *Verification { return result.Of[*Verification](d) }

// Key returns the key of the section in a document.
func (*Verification) Key() string { return key }

// Check tells c which values cannot be.
func (v *Verification) Check(c *result.Checker, at string) {
	c.NotNegative(at+".duration_ns", float64(v.DurationNS))
	c.CPUs(at+".cpus", v.CPUs)
	c.CPUs(at+".lost_cpus", v.LostCPUs)
	seen := map[string]bool{}
	for i, clock := range v.Clocks {
		at := fmt.Sprintf("%s.clocks[%d] (%.64q)", at, i, clock.ID)
		c.Once(at, clock.ID, seen)
		clock.check(c, at)
	}
	for i, r := range v.Relations {
		at := fmt.Sprintf("%s.relations[%d]", at, i)
		c.Signed(at+".change_ns", r.ChangeNS)
		c.NotNegative(at+".bound_ns", r.BoundNS)
		c.Signed(at+".ppm", r.PPM)
	}
}

func (v *VerifiedClock) check(c *result.Checker, at string) {
	c.Choice(at+".verdict", v.Verdict, Verdicts)
	c.NotNegative(at+".reads", float64(v.Reads))
	c.Part(at+".repeats", v.Repeats, v.Reads, "reads")
	c.NotNegative(at+".stood_ns", v.StoodNS)
	c.NotNegative(at+".tick_ns", v.TickNS)
	if v.Across != nil {
		c.NotNegative(at+".across.checks", float64(v.Across.Checks))
		c.NotNegative(at+".across.pairs", float64(v.Across.Pairs))
		c.NotNegative(at+".across.sees_ns", v.Across.SeesNS)
	}
	if b := v.Bracket; b != nil {
		c.NotNegative(at+".bracket.brackets", float64(b.Brackets))
		c.Signed(at+".bracket.offset_ns", b.OffsetNS)
		c.NotNegative(at+".bracket.bound_ns", b.BoundNS)
		c.NotNegative(at+".bracket.resolution_ns", b.ResolutionNS)
		c.NotNegative(at+".bracket.against_resolution_ns", b.AgainstResolutionNS)
	}
	for i, fault := range v.Faults {
		at := fmt.Sprintf("%s.faults[%d]", at, i)
		c.Choice(at+".kind", fault.Kind, ClockFaults)
		c.Positive(at+".count", float64(fault.Count))
		c.NotNegative(at+".worst_ns", fault.WorstNS)
		if fault.CPU != nil {
			c.NotNegative(at+".cpu", float64(*fault.CPU))
		}
		if fault.EarlierCPU != nil {
			c.NotNegative(at+".earlier_cpu", float64(*fault.EarlierCPU))
		}
	}
}
