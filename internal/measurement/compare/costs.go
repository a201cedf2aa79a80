package compare

import (
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/stats"
)

// Costs is the latency, the resolution and the throughput of the clocks of one machine. Its keys
// are at the top of the document.
type Costs struct {
	// FloorNS is the time of an empty call in the measuring loop.
	FloorNS float64 `json:"floor_ns,omitempty"`
	// Clocks has an entry for each selected clock, each id once.
	Clocks []Clock `json:"clocks" once:"id"`
	// OtherClockSources are the same clocks under each clock source that an experiment switched the kernel to.
	OtherClockSources []Experiment `json:"other_clocksources,omitempty" once:"clocksource"`
}

// An Experiment has the costs under another clock source.
type Experiment struct {
	// ClockSource is the clock source in use.
	ClockSource string `json:"clocksource" is:"named"`
	// FloorNS is the time of an empty call in the measuring loop.
	FloorNS float64 `json:"floor_ns,omitempty"`
	// Conditions are the conditions of the experiment.
	Conditions *result.Conditions `json:"conditions,omitempty"`
	// Warnings are the warnings of the experiment.
	Warnings []result.Warning `json:"warnings,omitempty"`
	// Clocks are the clocks of the document, in the same order.
	Clocks []Clock `json:"clocks" once:"id"`
}

// A Clock has the figures of a clock.
type Clock struct {
	// ID is call and path: CLOCK_MONOTONIC@vdso.
	ID string `json:"id" is:"named"`
	// Call is the call as its manual spells it.
	Call string `json:"call"`
	// Path is vdso, syscall, cpu, mmio, memory, winapi, libc or go.
	Path string `json:"path"`
	// Kind is monotonic, wall, cpu time, user time or counter.
	Kind string `json:"kind,omitempty"`
	// Available is whether the clock could be read.
	Available bool `json:"available"`
	// Reason is why something is missing, or what failed.
	Reason string `json:"reason,omitempty"`
	// KernelEntry is how often a read enters the kernel.
	KernelEntry string `json:"kernel_entry,omitempty" is:"never|always|sometimes|unknown"`
	// KernelEntryBy is the method, or why it is unknown.
	KernelEntryBy string `json:"kernel_entry_by,omitempty"`
	// TicksPerSecond is the rate of the values, nominal or measured.
	TicksPerSecond float64 `json:"ticks_per_second,omitempty"`
	// Latency is the wall time of one read in one thread; absent if no round was
	// complete.
	Latency *Latency `json:"latency,omitempty"`
	// Resolution is the step of the values; absent if the clock was not watched.
	Resolution *Resolution `json:"resolution,omitempty"`
	// Throughput has an entry for each number of threads.
	Throughput []Throughput `json:"throughput,omitempty" once:"threads"`
	// Distribution is present if it was requested.
	Distribution *Distribution `json:"distribution,omitempty"`
	// Layers are the parts of the latency, from the call inwards, if they are known and could be measured.
	Layers []Layer `json:"layers,omitempty" once:"name"`
	// UserModeNS is the time of a read if the vDSO read the CPU's counter.
	UserModeNS float64 `json:"user_mode_ns,omitempty"`
}

// GainNS returns UserModeNS if it is less than half of the median latency, otherwise 0.
func (clock *Clock) GainNS() float64 {
	if clock.Latency == nil || clock.UserModeNS >= clock.Latency.MedianNS/2 {
		return 0
	}
	return clock.UserModeNS
}

// Latency is the wall time of one read in one thread, by rounds.
type Latency struct {
	// MedianNS is the median of the rounds.
	MedianNS float64 `json:"median_ns"`
	// LowNS is the lower end of the interval; absent below 6 rounds.
	LowNS float64 `json:"low_ns,omitempty"`
	// HighNS is the upper end of the interval; absent below 6 rounds.
	HighNS float64 `json:"high_ns,omitempty"`
	// Confidence is the confidence of the interval.
	Confidence float64 `json:"confidence,omitempty" is:"share"`
	// MinNS is the minimum of the rounds.
	MinNS float64 `json:"min_ns"`
	// SamplesNS are the rounds, in order.
	SamplesNS []float64 `json:"samples_ns"`
	// QuietSamplesNS are the fastest slices of the rounds.
	QuietSamplesNS []float64 `json:"quiet_samples_ns,omitempty"`
	// Runs has the number of samples of each run, if there are several.
	Runs []int `json:"runs,omitempty" is:"positive"`
}

// LatencyOf returns the latency of at least one sample in ns, with the fastest slices of the samples,
// if they were kept.
func LatencyOf(samplesNS, quietNS []float64) *Latency {
	summary := stats.Summarize(samplesNS)
	return &Latency{
		MedianNS: summary.Median, LowNS: summary.Low, HighNS: summary.High, Confidence: summary.Confidence,
		MinNS: summary.Min, SamplesNS: samplesNS, QuietSamplesNS: quietNS,
	}
}

// Resolution is the step of a clock's values.
type Resolution struct {
	// TickNS is the median step, or the unit of the values: with FinerThanRead, and of a clock that counts seconds.
	TickNS float64 `json:"tick_ns,omitempty"`
	// TickLowNS is a quartile of the steps, if uneven.
	TickLowNS float64 `json:"tick_low_ns,omitempty"`
	// TickHighNS is a quartile of the steps, if uneven.
	TickHighNS float64 `json:"tick_high_ns,omitempty"`
	// FinerThanRead is whether values never repeat.
	FinerThanRead bool `json:"finer_than_read"`
	// ReportedNS is what the system reports.
	ReportedNS float64 `json:"reported_ns,omitempty"`
	// WatchedNS is how long the clock was watched.
	WatchedNS int64 `json:"watched_ns"`
	// Ticks is the number of steps.
	Ticks int64 `json:"ticks,omitempty"`
	// Backwards is the number of values below the previous value.
	Backwards int64 `json:"backwards,omitempty"`
	// WorstBackwardsNS is the largest step backwards.
	WorstBackwardsNS float64 `json:"worst_backwards_ns,omitempty"`
}

// Throughput is the rate of reads of several threads.
type Throughput struct {
	// Threads is the number of threads (or processes).
	Threads int `json:"threads" is:"positive"`
	// ReadsPerSecond is the median total rate; if oversubscribed, the counted rate.
	ReadsPerSecond float64 `json:"reads_per_second"`
	// CountedReadsPerSecond is the rate including interruptions.
	CountedReadsPerSecond float64 `json:"counted_reads_per_second,omitempty"`
	// NSPerRead is the wall time of one read, including waiting for a CPU.
	NSPerRead float64 `json:"ns_per_read"`
	// Fairness is the slowest thread's rate divided by the fastest's.
	Fairness float64 `json:"fairness" is:"share"`
	// Oversubscribed is whether there were more threads than CPUs.
	Oversubscribed bool `json:"oversubscribed"`
	// Disturbed is whether other programs took the CPUs in almost all samples.
	Disturbed bool `json:"disturbed,omitempty"`
	// SamplesReadsPerSecond are the rates of passes, or of windows if oversubscribed.
	SamplesReadsPerSecond []float64 `json:"samples_reads_per_second,omitempty"`
	// Runs has the number of samples of each run, if there are several.
	Runs []int `json:"runs,omitempty" is:"positive"`
}

// Distribution has the times of single reads, each including two readings of a counter.
type Distribution struct {
	// Counter is the clock that timed the reads.
	Counter string `json:"counter"`
	// BracketNS is the median time around an empty call.
	BracketNS float64 `json:"bracket_ns,omitempty"`
	// CounterStepNS is the smallest difference between frequent times.
	CounterStepNS float64 `json:"counter_step_ns,omitempty"`
	// Reads is the number of timed reads.
	Reads int64 `json:"reads"`
	// P50NS is the 50th percentile.
	P50NS float64 `json:"p50_ns"`
	// P90NS is the 90th percentile.
	P90NS float64 `json:"p90_ns"`
	// P99NS is the 99th percentile.
	P99NS float64 `json:"p99_ns"`
	// P999NS is the 99.9th percentile.
	P999NS float64 `json:"p99_9_ns"`
	// MaxNS is the maximum.
	MaxNS float64 `json:"max_ns"`
	// TenfoldReads is the number of reads of at least ten times the median.
	TenfoldReads int64 `json:"tenfold_reads"`
	// Buckets are the histogram of all reads, ascending, none empty.
	Buckets []Bucket `json:"buckets"`
}

// A Bucket is one bar of a histogram.
type Bucket struct {
	// UpToNS is its upper bound, inclusive.
	UpToNS float64 `json:"up_to_ns"`
	// Reads is the number of reads above the previous bucket, up to UpToNS.
	Reads int64 `json:"reads" is:"positive"`
}
