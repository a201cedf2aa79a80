package compare

import (
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/stats"
)

// Costs is the latency, the resolution and the throughput of the clocks of one machine. Its keys
// are at the top of the document.
type Costs struct {
	// FloorNS is the time of an empty call in the loop that reads the clocks; absent if there is no such loop.
	FloorNS float64 `json:"floor_ns,omitempty"`
	// Clocks has an entry for each selected clock, each id once.
	Clocks []Clock `json:"clocks" once:"id"`
	// OtherClockSources are the same clocks under each clock source that an experiment switched the kernel to.
	OtherClockSources []Experiment `json:"other_clocksources,omitempty" once:"clocksource"`
}

// An Experiment is the result of measuring while the kernel used another clock source than
// host.clocksource.current.
type Experiment struct {
	// ClockSource is the clock source in use; each experiment has another one.
	ClockSource string `json:"clocksource" is:"named"`
	// FloorNS is as that of the document, measured again.
	FloorNS float64 `json:"floor_ns,omitempty"`
	// Conditions are the disturbances of this part of the run.
	Conditions *result.Conditions `json:"conditions,omitempty"`
	// Warnings are what may have affected the figures of this part.
	Warnings []result.Warning `json:"warnings,omitempty"`
	// Clocks has an entry for each clock of the document, in the same order.
	Clocks []Clock `json:"clocks" once:"id"`
}

// A Clock has the figures of one clock, or the reason why there are none.
type Clock struct {
	// ID is the call and the path: CLOCK_MONOTONIC@vdso.
	ID string `json:"id" is:"named"`
	// Call is the call, spelt as in its manual.
	Call string `json:"call"`
	// Path is how the call reaches the clock: vdso, syscall, cpu, mmio or go.
	Path string `json:"path"`
	// Kind is the meaning of the values: monotonic, wall, cpu time or counter.
	Kind string `json:"kind,omitempty"`
	// Available is whether the clock could be read.
	Available bool `json:"available"`
	// Reason is why the clock is not available, or what failed.
	Reason string `json:"reason,omitempty"`
	// KernelEntry is how often a read enters the kernel. Absent if it was not tested, or does not apply.
	KernelEntry string `json:"kernel_entry,omitempty" is:"never|always|sometimes|unknown"`
	// KernelEntryBy is how that was determined (seccomp, cpu time, cost, path), or why
	// it could not be.
	KernelEntryBy string `json:"kernel_entry_by,omitempty"`
	// TicksPerSecond is the nominal or measured rate of the clock's values.
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
	// UserModeNS is what a read would take if the vDSO read the counter of the CPU: the median time of a function that
	// does so as the vDSO. Absent if the layers are, and if the vDSO does not enter the kernel.
	UserModeNS float64 `json:"user_mode_ns,omitempty"`
}

// GainNS returns what a read would take if the vDSO read the counter of the CPU, where that is less than half; 0 elsewhere.
func (clock *Clock) GainNS() float64 {
	if clock.Latency == nil || clock.UserModeNS >= clock.Latency.MedianNS/2 {
		return 0
	}
	return clock.UserModeNS
}

// Latency is the wall time of one read, as the median of the rounds.
type Latency struct {
	// MedianNS is the median of the rounds.
	MedianNS float64 `json:"median_ns"`
	// LowNS is the lower end of the confidence interval; absent with fewer than 6 rounds.
	LowNS float64 `json:"low_ns,omitempty"`
	// HighNS is the upper end.
	HighNS float64 `json:"high_ns,omitempty"`
	// Confidence is that of the interval.
	Confidence float64 `json:"confidence,omitempty" is:"share"`
	// MinNS is the minimum of the rounds.
	MinNS float64 `json:"min_ns"`
	// SamplesNS are the rounds, in order.
	SamplesNS []float64 `json:"samples_ns"`
	// QuietSamplesNS are the fastest slices of the rounds, in order: a read while nothing disturbs the CPU. Absent
	// in old documents.
	QuietSamplesNS []float64 `json:"quiet_samples_ns,omitempty"`
	// Runs are the numbers of samples of each run; absent if there was one run.
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
	// TickNS is the median step between consecutive values that differ. If FinerThanRead, it is the unit of the
	// values. Absent if the clock did not tick.
	TickNS float64 `json:"tick_ns,omitempty"`
	// TickLowNS is the lower quartile of the steps, if they are too uneven for a median: a page that Wine updates
	// whenever a program makes a request.
	TickLowNS float64 `json:"tick_low_ns,omitempty"`
	// TickHighNS is the upper quartile.
	TickHighNS float64 `json:"tick_high_ns,omitempty"`
	// FinerThanRead is whether the clock never repeated a value.
	FinerThanRead bool `json:"finer_than_read"`
	// ReportedNS is the resolution that the system reports.
	ReportedNS float64 `json:"reported_ns,omitempty"`
	// WatchedNS is the time for which the clock was watched.
	WatchedNS int64 `json:"watched_ns"`
	// Ticks is the number of steps seen.
	Ticks int64 `json:"ticks" old:"absent"`
	// Moved is whether the clock also ticked between two samples too far apart to count the ticks.
	Moved bool `json:"moved,omitempty"`
	// Backwards is the number of reads with a value below the one before.
	Backwards int64 `json:"backwards,omitempty"`
	// WorstBackwardsNS is the largest such step.
	WorstBackwardsNS float64 `json:"worst_backwards_ns,omitempty"`
}

// Throughput is the rate at which several threads (or processes) read a clock at once.
type Throughput struct {
	// Threads is their number.
	Threads int `json:"threads" is:"positive"`
	// ReadsPerSecond is the total rate: the median of the samples. If each thread had its own CPU, a sample is the
	// sum of the threads' median slices, which occasional interruptions do not lower.
	ReadsPerSecond float64 `json:"reads_per_second"`
	// CountedReadsPerSecond is all reads divided by the time they took, with interruptions and waiting for the
	// last thread. Absent in old documents.
	CountedReadsPerSecond float64 `json:"counted_reads_per_second,omitempty"`
	// NSPerRead is the wall time of one read in one thread. If oversubscribed, it includes waiting for a CPU.
	NSPerRead float64 `json:"ns_per_read"`
	// Fairness is the reads of the slowest thread divided by those of the fastest: the median of the passes.
	Fairness float64 `json:"fairness" is:"share"`
	// Oversubscribed is whether there were more threads than CPUs.
	Oversubscribed bool `json:"oversubscribed"`
	// SamplesReadsPerSecond are the rates of the passes, or of their windows if oversubscribed.
	SamplesReadsPerSecond []float64 `json:"samples_reads_per_second" old:"absent"`
	// Runs are the numbers of samples of each run; absent if there was one run.
	Runs []int `json:"runs,omitempty" is:"positive"`
}

// Distribution is the distribution of the times of single reads, each between two readings of a counter, which
// every figure includes.
type Distribution struct {
	// Counter is the id of the clock that timed the reads.
	Counter string `json:"counter"`
	// BracketNS is the median of the same around an empty call.
	BracketNS float64 `json:"bracket_ns,omitempty"`
	// CounterStepNS is the smallest difference between two times that at least one read in a thousand took.
	CounterStepNS float64 `json:"counter_step_ns,omitempty"`
	// Reads is the number of timed reads.
	Reads int64 `json:"reads"`
	// P50NS is the median.
	P50NS float64 `json:"p50_ns"`
	// P90NS is the 90th percentile.
	P90NS float64 `json:"p90_ns"`
	// P99NS is the 99th percentile.
	P99NS float64 `json:"p99_ns"`
	// P999NS is the 99.9th percentile.
	P999NS float64 `json:"p99_9_ns"`
	// MaxNS is the maximum.
	MaxNS float64 `json:"max_ns"`
	// TenfoldReads is the number of reads that took ten times the median or longer.
	TenfoldReads int64 `json:"tenfold_reads"`
	// Buckets are the histogram, ascending, none empty. Their reads add up to reads.
	Buckets []Bucket `json:"buckets"`
}

// A Bucket is one bar of a histogram.
type Bucket struct {
	// UpToNS is the upper bound of the bucket, inclusive.
	UpToNS float64 `json:"up_to_ns"`
	// Reads is the number of reads above the bucket before, up to UpToNS.
	Reads int64 `json:"reads" is:"positive"`
}
