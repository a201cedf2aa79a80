package result

import (
	"maps"
	"math"
	"slices"
)

// Conditions are the disturbances of a run.
type Conditions struct {
	// DurationNS is the time that the measurement took.
	DurationNS int64 `json:"duration_ns"`
	// Turns is the number of latency samples of all loops.
	Turns int `json:"turns"`
	// InterruptedTurns is the number of turns with over a tenth of other work.
	InterruptedTurns int `json:"interrupted_turns"`
	// FloorLowNS is a quartile of the empty call.
	FloorLowNS float64 `json:"floor_low_ns,omitempty"`
	// FloorHighNS is a quartile of the empty call.
	FloorHighNS float64 `json:"floor_high_ns,omitempty"`
	// StealShare is the share that the hypervisor took.
	StealShare float64 `json:"steal_share,omitempty" is:"share"`
	// OtherCPUs is the number of CPUs that other programs used.
	OtherCPUs float64 `json:"other_cpus,omitempty"`
	// ThrottledPeriods is the number of periods that exhausted the quota.
	ThrottledPeriods int64 `json:"throttled_periods,omitempty"`
	// ThrottledNS is the CPU time that the quota withheld.
	ThrottledNS int64 `json:"throttled_ns,omitempty"`
	// CompleteRounds is the fewest rounds of a run, if not all.
	CompleteRounds int `json:"complete_rounds,omitempty"`
	// Passes are incomplete passes of throughput, by number of threads.
	Passes []Passes `json:"passes,omitempty"`
	// ClockSources are clock sources in use, if they changed.
	ClockSources []string `json:"clocksources,omitempty"`
	// WallStepNS is the largest step of the wall clock; negative: back.
	WallStepNS int64 `json:"wall_step_ns,omitempty" is:"any"`
}

// Passes are passes of throughput with one number of threads, where some are missing or starved.
type Passes struct {
	// Threads is the number of threads (or processes).
	Threads int `json:"threads" is:"positive"`
	// Planned is the number of planned ones.
	Planned int `json:"planned"`
	// Complete is the number of complete ones.
	Complete int `json:"complete"`
	// Starved is the number of passes in which a thread had no CPU for long.
	Starved int `json:"starved,omitempty"`
	// Reasons are why some are missing.
	Reasons []string `json:"reasons,omitempty"`
}

// Check reports more interrupted turns than turns.
func (o *Conditions) Check(c *Checker) {
	c.Part("interrupted_turns", int64(o.InterruptedTurns), int64(o.Turns), "turns")
}

// Check reports more passes than there were.
func (p *Passes) Check(c *Checker) {
	c.Part("complete", int64(p.Complete), int64(p.Planned), "planned")
	c.Part("starved", int64(p.Starved), int64(p.Complete), "complete")
}

// JoinConditions returns the conditions of several runs together; nil if all are nil. A run without conditions is nil.
func JoinConditions(runs []*Conditions) *Conditions {
	runs = slices.DeleteFunc(slices.Clone(runs), func(c *Conditions) bool { return c == nil })
	if len(runs) == 0 {
		return nil
	}
	all := *runs[0]
	n := float64(len(runs))
	all.StealShare /= n
	all.OtherCPUs /= n
	for _, c := range runs[1:] {
		all.DurationNS += c.DurationNS
		all.Turns += c.Turns
		all.InterruptedTurns += c.InterruptedTurns
		if c.FloorLowNS > 0 && (all.FloorLowNS == 0 || c.FloorLowNS < all.FloorLowNS) {
			all.FloorLowNS = c.FloorLowNS
		}
		all.FloorHighNS = max(all.FloorHighNS, c.FloorHighNS)
		all.StealShare += c.StealShare / n
		all.OtherCPUs += c.OtherCPUs / n
		all.ThrottledPeriods += c.ThrottledPeriods
		all.ThrottledNS += c.ThrottledNS
		if c.CompleteRounds > 0 && (all.CompleteRounds == 0 || c.CompleteRounds < all.CompleteRounds) {
			all.CompleteRounds = c.CompleteRounds
		}
		all.Passes = SumPasses(slices.Concat(all.Passes, c.Passes))
		all.ClockSources = slices.Compact(slices.Concat(all.ClockSources, c.ClockSources))
		if math.Abs(float64(c.WallStepNS)) > math.Abs(float64(all.WallStepNS)) {
			all.WallStepNS = c.WallStepNS
		}
	}
	return &all
}

// SumPasses sums passes by number of threads.
func SumPasses(all []Passes) []Passes {
	by := map[int]Passes{}
	for _, p := range all {
		sum := by[p.Threads]
		sum.Threads, sum.Planned, sum.Complete, sum.Starved = p.Threads, sum.Planned+p.Planned, sum.Complete+p.Complete, sum.Starved+p.Starved
		sum.Reasons = slices.Compact(slices.Sorted(slices.Values(slices.Concat(sum.Reasons, p.Reasons))))
		by[p.Threads] = sum
	}
	var joined []Passes
	for _, threads := range slices.Sorted(maps.Keys(by)) {
		joined = append(joined, by[threads])
	}
	return joined
}
