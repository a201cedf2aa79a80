package compare

import "github.com/timebench/timebench/internal/result"

// Costs are what the clocks cost, how fine they are and how they scale, on one machine. Their
// keys stand at the top of the document.
type Costs struct {
	// FloorNS is the cost of an empty call in the loop that reads the clocks;
	// absent where there is no such loop.
	FloorNS float64 `json:"floor_ns,omitempty" before:"warnings"`
	// Conditions are what the machine did to the run while it measured.
	Conditions *Conditions `json:"conditions,omitempty" before:"warnings"`
	// Clocks has an entry for each clock that was asked for, no id twice.
	Clocks []Clock `json:"clocks"`
	// OtherClockSources are the same clocks under other clock sources, an entry for
	// each that the kernel was switched to for an experiment.
	OtherClockSources []Experiment `json:"other_clocksources,omitempty"`
}

// An Experiment is what was measured while the kernel used another clock source
// than host.clocksource.current.
type Experiment struct {
	// ClockSource is the clock source that was in use, as the kernel names it; no
	// two experiments have the same.
	ClockSource string `json:"clocksource"`
	// FloorNS is the cost of an empty call in the loop that reads the clocks, measured
	// anew; absent where there is no such loop.
	FloorNS float64 `json:"floor_ns,omitempty"`
	// Conditions are what the machine did to this part of the run.
	Conditions *Conditions `json:"conditions,omitempty"`
	// Warnings say what may have spoilt the figures of this part.
	Warnings []result.Warning `json:"warnings,omitempty"`
	// Clocks has an entry for each clock of the document, in the same order.
	Clocks []Clock `json:"clocks"`
}

// Conditions are what the machine did to a run while it measured. What did not
// happen, and what the system does not tell, is absent.
type Conditions struct {
	// DurationNS is how long the run measured.
	DurationNS int64 `json:"duration_ns"`
	// Turns counts the samples of latency, of all clocks and of the empty call.
	Turns int `json:"turns"`
	// InterruptedTurns counts those of the Turns in which the CPU was away for
	// more than a tenth of the time.
	InterruptedTurns int `json:"interrupted_turns"`
	// FloorLowNS is the lower quartile of the rounds' costs of an empty call,
	// which takes always the same cycles: FloorLowNS and FloorHighNS differ as
	// the CPU's speed did.
	FloorLowNS float64 `json:"floor_low_ns,omitempty"`
	// FloorHighNS is the upper quartile.
	FloorHighNS float64 `json:"floor_high_ns,omitempty"`
	// StealShare is the share of the usable CPUs' time that the hypervisor gave
	// to others.
	StealShare float64 `json:"steal_share,omitempty"`
	// OtherCPUs is the CPU time that other programs used on the usable CPUs, in
	// CPUs.
	OtherCPUs float64 `json:"other_cpus,omitempty"`
	// ThrottledPeriods counts the periods in which a quota was used up.
	ThrottledPeriods int64 `json:"throttled_periods,omitempty"`
	// ThrottledNS is the CPU time that the quota withheld, of all CPUs together.
	ThrottledNS int64 `json:"throttled_ns,omitempty"`
	// LostCPUs are the CPUs that went away while the run measured, as one does that goes
	// offline, where the run was to use them. What was measured on fewer CPUs than the
	// run began with is not mixed with what was measured before.
	LostCPUs []int `json:"lost_cpus,omitempty"`
	// ClockSources are the kernel's clock sources one after the other, where
	// they changed.
	ClockSources []string `json:"clocksources,omitempty"`
	// WallStepNS is the largest step of the wall clock against the monotonic
	// one; negative where the wall clock was set back.
	WallStepNS int64 `json:"wall_step_ns,omitempty"`
}

// A Clock is what was measured of one clock, or why nothing was.
type Clock struct {
	// ID is the call and the path: CLOCK_MONOTONIC@vdso.
	ID string `json:"id"`
	// Call is what is called, as its manual spells it.
	Call string `json:"call"`
	// Path is the way to the clock: vdso, syscall, cpu, mmio or go.
	Path string `json:"path"`
	// Kind is what the values mean: monotonic, wall, cpu time or counter.
	Kind string `json:"kind,omitempty"`
	// Available says that the clock could be read.
	Available bool `json:"available"`
	// Reason says why the clock is not available, or what failed.
	Reason string `json:"reason,omitempty"`
	// KernelEntry says how often a read enters the kernel: never, always, sometimes,
	// or unknown where that could not be found out. Absent where nobody asked, or the
	// question has no meaning.
	KernelEntry string `json:"kernel_entry,omitempty"`
	// KernelEntryBy is how that was found out (seccomp, cpu time, cost, path), or why
	// it was not.
	KernelEntryBy string `json:"kernel_entry_by,omitempty"`
	// TicksPerSecond is the unit of the clock's values, stated or measured.
	TicksPerSecond float64 `json:"ticks_per_second,omitempty"`
	// Latency is what one read costs one thread; absent where no round was
	// complete.
	Latency *Latency `json:"latency,omitempty"`
	// Resolution is how fine the values are; absent where the clock was not
	// watched.
	Resolution *Resolution `json:"resolution,omitempty"`
	// Throughput has an entry for each number of threads that was measured.
	Throughput []Throughput `json:"throughput,omitempty"`
	// Distribution is there when it was asked for.
	Distribution *Distribution `json:"distribution,omitempty"`
}

// Latency is the wall time of one read in nanoseconds: the median over the
// rounds, its interval where there are rounds enough, and the minimum.
type Latency struct {
	// MedianNS is the median of the rounds.
	MedianNS float64 `json:"median_ns"`
	// LowNS is the lower end of the median's interval; absent with fewer than 6
	// rounds.
	LowNS float64 `json:"low_ns,omitempty"`
	// HighNS is the upper end.
	HighNS float64 `json:"high_ns,omitempty"`
	// Confidence is the interval's, from 0 to 1.
	Confidence float64 `json:"confidence,omitempty"`
	// MinNS is the least of the rounds.
	MinNS float64 `json:"min_ns"`
	// SamplesNS are the rounds, in order.
	SamplesNS []float64 `json:"samples_ns"`
	// QuietSamplesNS are the quickest slices of the rounds, in order: what a read costs while
	// nothing disturbs the CPU. Absent in documents of before they were kept.
	QuietSamplesNS []float64 `json:"quiet_samples_ns,omitempty"`
}

// Resolution is how fine a clock's values are.
type Resolution struct {
	// TickNS is the median step between values that differ. Where
	// FinerThanRead, no step could be seen and it is the unit of the values.
	// Absent where the clock was not seen to tick.
	TickNS float64 `json:"tick_ns,omitempty"`
	// TickLowNS is the lower quartile of the steps. Present only where they are too
	// uneven for the median to speak for them, as those of a page that Wine renews
	// whenever some program asks it for something.
	TickLowNS float64 `json:"tick_low_ns,omitempty"`
	// TickHighNS is the upper quartile, likewise: half of the steps lie between.
	TickHighNS float64 `json:"tick_high_ns,omitempty"`
	// FinerThanRead says that the clock never repeated a value: it ticks more
	// often than it can be read.
	FinerThanRead bool `json:"finer_than_read"`
	// ReportedNS is the resolution that the system states, if it states one.
	ReportedNS float64 `json:"reported_ns,omitempty"`
	// WatchedNS is how long the clock was watched.
	WatchedNS int64 `json:"watched_ns"`
	// Ticks counts the steps that were seen.
	Ticks int64 `json:"ticks"`
	// Moved says that the clock was also seen to have ticked between two looks
	// that were too far apart to tell how often.
	Moved bool `json:"moved,omitempty"`
	// Backwards counts the reads that gave less than the read before them.
	Backwards int64 `json:"backwards,omitempty"`
	// WorstBackwardsNS is the largest such step.
	WorstBackwardsNS float64 `json:"worst_backwards_ns,omitempty"`
}

// Throughput is how a clock serves several threads (or processes) at once.
type Throughput struct {
	// Threads is how many threads (or processes) read at once.
	Threads int `json:"threads"`
	// ReadsPerSecond is the rate of all together: the median of the samples. Where each
	// thread had a CPU of its own a sample is no count, but the sum of the rates of the
	// threads' median slices, which what interrupts a thread now and then does not lower.
	ReadsPerSecond float64 `json:"reads_per_second"`
	// CountedReadsPerSecond is the plain count beside it: all reads of all threads, over the
	// time that they took, interruptions and waiting for the last thread included. Absent in
	// documents of before it was kept.
	CountedReadsPerSecond float64 `json:"counted_reads_per_second,omitempty"`
	// NSPerRead is the wall time of one read as one thread saw it; waiting for a
	// CPU is in it where Oversubscribed.
	NSPerRead float64 `json:"ns_per_read"`
	// Fairness is the reads of the slowest thread over those of the fastest: the median of
	// the passes, in each of which every thread keeps its place.
	Fairness float64 `json:"fairness"`
	// Oversubscribed says that there were more threads than CPUs to run them.
	Oversubscribed bool `json:"oversubscribed"`
	// SamplesReadsPerSecond are the figures of the passes, or of the windows of
	// passes where Oversubscribed; ReadsPerSecond is their median.
	SamplesReadsPerSecond []float64 `json:"samples_reads_per_second"`
}

// Distribution is how long single reads took, each bracketed by two readings of
// a counter. The bracket is in every figure.
type Distribution struct {
	// Counter is the id of the clock that bracketed the reads.
	Counter string `json:"counter"`
	// BracketNS is the median of brackets around an empty call; absent where
	// there is no such loop.
	BracketNS float64 `json:"bracket_ns,omitempty"`
	// CounterStepNS is the smallest distance of two times that one read in a
	// thousand or more took: no figure is finer.
	CounterStepNS float64 `json:"counter_step_ns,omitempty"`
	// Reads counts the reads that were timed.
	Reads int64 `json:"reads"`
	// P50NS is what half of the reads took at most: the median.
	P50NS float64 `json:"p50_ns"`
	// P90NS is what 90 % of the reads took at most.
	P90NS float64 `json:"p90_ns"`
	// P99NS is what 99 % of the reads took at most.
	P99NS float64 `json:"p99_ns"`
	// P999NS is what 99.9 % of the reads took at most.
	P999NS float64 `json:"p99_9_ns"`
	// MaxNS is the longest read.
	MaxNS float64 `json:"max_ns"`
	// TenfoldReads counts the reads that took ten times the median or longer.
	TenfoldReads int64 `json:"tenfold_reads"`
	// Buckets are the histogram, in ascending order, none empty. Their reads
	// together are Reads.
	Buckets []Bucket `json:"buckets"`
}

// A Bucket is one bar of a histogram.
type Bucket struct {
	// UpToNS is the longest read that belongs here.
	UpToNS float64 `json:"up_to_ns"`
	// Reads counts the reads that took longer than the bucket before says, and
	// up to UpToNS.
	Reads int64 `json:"reads"`
}
