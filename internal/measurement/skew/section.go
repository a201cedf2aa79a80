package skew

import (
	"math"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
)

// Skew is the offset of each clock between CPUs.
type Skew struct {
	// DurationNS is the time that the measurement took.
	DurationNS int64 `json:"duration_ns"`
	// CPUs are the CPUs on which threads read.
	CPUs []int `json:"cpus"`
	// LostCPUs are CPUs that went offline, or had no time.
	LostCPUs []int `json:"lost_cpus,omitempty"`
	// Clocks has an entry for each clock, each id once.
	Clocks []SkewedClock `json:"clocks" once:"id"`
}

// A SkewedClock is one clock on several CPUs.
type SkewedClock struct {
	// ID is call and path: CLOCK_MONOTONIC@vdso.
	ID string `json:"id" is:"named"`
	// Reason is why something is missing, or what failed.
	Reason string `json:"reason,omitempty"`
	// TicksPerSecond is the rate of the values, nominal or measured.
	TicksPerSecond float64 `json:"ticks_per_second,omitempty"`
	// Pairs are the comparisons of the first CPU with each other one, and on small machines of all with all.
	Pairs []CPUPair `json:"pairs,omitempty"`
	// MissingPairs are the pairs that could not be compared.
	MissingPairs []MissingPair `json:"missing_pairs,omitempty"`
}

// A MissingPair is two CPUs that could not be compared.
type MissingPair struct {
	// CPU is the CPU that started each round.
	CPU int `json:"cpu"`
	// OtherCPU is the CPU that answered.
	OtherCPU int `json:"other_cpu"`
	// Reason is why something is missing, or what failed.
	Reason string `json:"reason"`
}

// A CPUPair is two CPUs that exchanged readings.
type CPUPair struct {
	// CPU is the CPU that started each round.
	CPU int `json:"cpu"`
	// OtherCPU is the CPU that answered.
	OtherCPU int `json:"other_cpu"`
	// OffsetNS is the offset on OtherCPU; negative: behind.
	OffsetNS float64 `json:"offset_ns" is:"signed"`
	// BoundNS is the error bound.
	BoundNS float64 `json:"bound_ns"`
	// RoundTripNS is the best round trip.
	RoundTripNS float64 `json:"round_trip_ns"`
	// Rounds is the number of round trips.
	Rounds int64 `json:"rounds"`
}

// Apart reports whether the clock differs on the two CPUs by more than the error bound.
func (p CPUPair) Apart() bool { return p.excessNS() > 0 }

// excessNS returns the offset, either way, less its error bound.
func (p CPUPair) excessNS() float64 { return math.Abs(p.OffsetNS) - p.BoundNS }

// TickNS returns the resolution of the clock in ns, which is part of BoundNS.
func (p CPUPair) TickNS() float64 { return p.BoundNS - p.RoundTripNS/2 }

// TellsRoundTrip reports whether the clock is fine enough to measure a round trip. A coarse
// clock often has the same value before and after it.
func (p CPUPair) TellsRoundTrip() bool { return p.RoundTripNS > max(0, p.TickNS()) }

// Kind is the kind of this section.
var Kind = section.Kind{New: func() result.Section { return new(Skew) }, Command: "skew", Pictures: pictures,
	Compare: section.Comparing(changesTitle, changesOf)}

// Of returns the section of a document, or nil.
func Of(d *result.Document) *Skew { return result.Of[*Skew](d) }

// Key returns the key of the section in a document.
func (*Skew) Key() string { return "skew" }
