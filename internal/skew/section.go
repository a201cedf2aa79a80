package skew

import (
	"fmt"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/section"
)

// A Skew is how far the CPUs' views of clocks are apart: what `timebench skew` saw.
type Skew struct {
	// DurationNS is how long was measured.
	DurationNS int64 `json:"duration_ns"`
	// CPUs are the numbers of the CPUs that were compared; the first is the one that
	// all others are held against.
	CPUs []int `json:"cpus"`
	// LostCPUs are those of the CPUs that went away during the run.
	LostCPUs []int `json:"lost_cpus,omitempty"`
	// Clocks has an entry for each clock, no id twice.
	Clocks []SkewedClock `json:"clocks"`
}

// A SkewedClock is one clock on several CPUs.
type SkewedClock struct {
	// ID is the call and the path: RDTSC@cpu.
	ID string `json:"id"`
	// Reason says why the clock could not be compared, in whole or in part.
	Reason string `json:"reason,omitempty"`
	// TicksPerSecond is the unit of the clock's values, stated or measured; absent
	// where the clock could not be had.
	TicksPerSecond float64 `json:"ticks_per_second,omitempty"`
	// Pairs are the comparisons of two CPUs: of the first CPU with each other one, and
	// on small machines of all with all.
	Pairs []CPUPair `json:"pairs,omitempty"`
}

// A CPUPair is two CPUs that exchanged readings over a shared cache line, there and
// back, many times.
type CPUPair struct {
	// CPU is the number of the CPU that began each round.
	CPU int `json:"cpu"`
	// OtherCPU is the number of the one that answered.
	OtherCPU int `json:"other_cpu"`
	// OffsetNS is how far the clock on OtherCPU is ahead of that on CPU; negative
	// where it is behind.
	OffsetNS float64 `json:"offset_ns"`
	// BoundNS is how far OffsetNS may be from the truth: half of the best round trip,
	// and the clock's resolution.
	BoundNS float64 `json:"bound_ns"`
	// RoundTripNS is the best round trip, by the clock itself: a message from one CPU to
	// the other takes half of it or less on the faster of the two ways.
	RoundTripNS float64 `json:"round_trip_ns"`
	// Rounds counts the round trips.
	Rounds int64 `json:"rounds"`
}

// Apart reports whether the clock certainly differs on the two CPUs.
func (p CPUPair) Apart() bool { return p.OffsetNS > p.BoundNS || -p.OffsetNS > p.BoundNS }

// TickNS returns the resolution of the clock that is part of BoundNS.
func (p CPUPair) TickNS() float64 { return p.BoundNS - p.RoundTripNS/2 }

// TellsRoundTrip reports whether the clock is fine enough to tell how long a round trip
// takes: a coarse one often shows the same value before it and after it.
func (p CPUPair) TellsRoundTrip() bool { return p.RoundTripNS > max(0, p.TickNS()) }

// key is that of the section in a document.
const key = "skew"

// Kind is the kind of this section.
var Kind = section.Kind{Kind: result.Kind{
	Key:   key,
	About: "skew is there where the CPUs' views of a clock were compared.",
	New:   func() result.Section { return new(Skew) },
}, Command: "skew", Pictures: pictures, Compare: section.Comparing(changesOf)}

// Of returns the section of a document; nil where it has none.
func Of(d *result.Document) *Skew { return result.Of[*Skew](d) }

// Key returns the key of the section in a document.
func (*Skew) Key() string { return key }

// Check tells c which values cannot be.
func (s *Skew) Check(c *result.Checker, at string) {
	c.NotNegative(at+".duration_ns", float64(s.DurationNS))
	c.CPUs(at+".cpus", s.CPUs)
	c.CPUs(at+".lost_cpus", s.LostCPUs)
	seen := map[string]bool{}
	for i, clock := range s.Clocks {
		at := fmt.Sprintf("%s.clocks[%d] (%.64q)", at, i, clock.ID)
		c.Once(at, clock.ID, seen)
		c.NotNegative(at+".ticks_per_second", clock.TicksPerSecond)
		for i, pair := range clock.Pairs {
			at := fmt.Sprintf("%s.pairs[%d]", at, i)
			c.NotNegative(at+".cpu", float64(pair.CPU))
			c.NotNegative(at+".other_cpu", float64(pair.OtherCPU))
			c.Signed(at+".offset_ns", pair.OffsetNS)
			c.NotNegative(at+".bound_ns", pair.BoundNS)
			c.NotNegative(at+".round_trip_ns", pair.RoundTripNS)
			c.NotNegative(at+".rounds", float64(pair.Rounds))
		}
	}
}
