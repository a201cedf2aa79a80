// Package result is the document that a run of timebench leaves: plain types,
// and how they are saved, loaded and checked. It knows no clock and no
// operating system. docs/result.md explains each key.
//
// Keys are only ever added within one schema; every number has its unit in its
// name. The comments of the types are the descriptions in the JSON Schema,
// docs/timebench-1.schema.json: `go test ./internal/result -run Schema -update`
// writes it anew.
package result

import "time"

// Schema names the form of the documents that this package reads and writes.
const Schema = "timebench/1"

// A Document is one run of timebench on one machine.
type Document struct {
	// Schema names the form of the document.
	Schema string `json:"schema"`
	// GeneratedAt is when the run ended, in UTC.
	GeneratedAt time.Time `json:"generated_at"`
	// Interrupted says that a signal ended the run: what is here is complete,
	// but there would have been more.
	Interrupted bool `json:"interrupted"`
	// Tool is the timebench that made the document.
	Tool Tool `json:"tool"`
	// Host is the machine.
	Host Host `json:"host"`
	// Settings are the choices that the run was made with.
	Settings Settings `json:"settings"`
	// FloorNS is the cost of an empty call in the loop that reads the clocks;
	// absent where there is no such loop.
	FloorNS float64 `json:"floor_ns,omitempty"`
	// Conditions are what the machine did to the run while it measured.
	Conditions *Conditions `json:"conditions,omitempty"`
	// Warnings say what may have spoilt the figures; a quiet machine has none.
	Warnings []Warning `json:"warnings,omitempty"`
	// Clocks has an entry for each clock that was asked for, no id twice.
	Clocks []Clock `json:"clocks"`
}

// A Tool is the timebench that made a document.
type Tool struct {
	// Version is the release.
	Version string `json:"version"`
	// Revision is the commit, where the build knows it.
	Revision string `json:"revision,omitempty"`
	// Go is the version of the compiler that built it.
	Go string `json:"go"`
}

// A Host is the machine. What could not be found out is absent.
type Host struct {
	// OS is the operating system, as Go names it: linux.
	OS string `json:"os"`
	// Arch is the architecture, as Go names it: amd64.
	Arch string `json:"arch"`
	// Distribution is the name and version of the system: debian 12.11.
	Distribution string `json:"distribution,omitempty"`
	// Kernel is the kernel's release.
	Kernel string `json:"kernel,omitempty"`
	// CPU is the processor, or all of them where the machine has several.
	CPU CPU `json:"cpu"`
	// Virtualization is absent where no hypervisor was seen.
	Virtualization *Virtualization `json:"virtualization,omitempty"`
	// Container names what confines the process, if anything does: docker, lxc.
	Container string `json:"container,omitempty"`
	// ClockSource is what the Linux kernel makes its time of.
	ClockSource *ClockSource `json:"clocksource,omitempty"`
	// Windows is what only Windows has.
	Windows *Windows `json:"windows,omitempty"`
}

// A CPU is the processor, or all of them where a machine has several.
type CPU struct {
	// Model is the name that the processor gives itself.
	Model string `json:"model,omitempty"`
	// Logical counts the logical CPUs: hardware threads.
	Logical int `json:"logical"`
	// Usable counts the logical CPUs that the process may run on.
	Usable int `json:"usable"`
	// Quota is the CPU time that the process may use, in CPUs; absent where
	// nothing limits it.
	Quota float64 `json:"quota_cpus,omitempty"`
	// QuotaPeriodNS is the period over which the quota is counted.
	QuotaPeriodNS int64 `json:"quota_period_ns,omitempty"`
	// Physical counts the cores.
	Physical int `json:"physical,omitempty"`
	// Packages counts the sockets.
	Packages int `json:"packages,omitempty"`
	// Groups counts the processor groups of Windows, of up to 64 logical CPUs each.
	Groups int `json:"groups,omitempty"`
	// InvariantTSC says whether the time stamp counter of an x86 CPU keeps its
	// rate whatever the CPU's speed.
	InvariantTSC *bool `json:"invariant_tsc,omitempty"`
	// TSCHz is the measured rate of the time stamp counter.
	TSCHz float64 `json:"tsc_hz,omitempty"`
}

// Virtualization is the hypervisor beneath the machine, and the machine's role.
type Virtualization struct {
	// System names the hypervisor: kvm, xen, vmware.
	System string `json:"system"`
	// Role is guest, host, or "guest or host" where the system does not tell.
	Role string `json:"role"`
}

// A ClockSource is what the Linux kernel makes its time of.
type ClockSource struct {
	// Current is the clock source in use when the run began.
	Current string `json:"current"`
	// Available are all that the kernel could use.
	Available []string `json:"available"`
}

// Windows is what only Windows has.
type Windows struct {
	// Edition is the registry's EditionID and DisplayVersion: Professional 23H2.
	Edition string `json:"edition,omitempty"`
	// Wine is absent where Windows is Windows.
	Wine *Wine `json:"wine,omitempty"`
	// Timer is the system timer when the run began.
	Timer *Timer `json:"timer,omitempty"`
	// QPC is what QueryPerformanceCounter is made of.
	QPC *QPC `json:"qpc,omitempty"`
	// PowerThrottling says whether the process is slowed down to save power: on,
	// off, or system where Windows decides.
	PowerThrottling string `json:"power_throttling,omitempty"`
	// Power is what the machine runs on: mains or battery.
	Power string `json:"power,omitempty"`
}

// Wine is the Wine that stands in for Windows.
type Wine struct {
	// Version is Wine's own.
	Version string `json:"version"`
	// Host is the system beneath: Linux 6.1.0.
	Host string `json:"host,omitempty"`
}

// A Timer is the system timer of Windows, whose period is the tick of the coarse
// clocks.
type Timer struct {
	// PeriodNS is the period in force.
	PeriodNS int64 `json:"period_ns"`
	// FinestNS is the shortest period that a program can ask for.
	FinestNS int64 `json:"finest_ns"`
	// CoarsestNS is the longest.
	CoarsestNS int64 `json:"coarsest_ns"`
}

// QPC is what QueryPerformanceCounter is made of, by the page that the kernel shares
// with every process.
type QPC struct {
	// Hz is QueryPerformanceFrequency.
	Hz int64 `json:"hz"`
	// UserMode says that a read does not enter the kernel. It is absent where there
	// is no shared page, and where HypervisorPage leaves it open.
	UserMode *bool `json:"user_mode,omitempty"`
	// HypervisorPage says that the counter is scaled by a page that the hypervisor
	// shares.
	HypervisorPage bool `json:"hypervisor_page,omitempty"`
	// Shift is how many bits the CPU's counter is shifted right.
	Shift int `json:"shift,omitempty"`
	// Bias is added to the CPU's counter before the shift, modulo 2^64. It is a text
	// such as 0xfffffffffffffff0: JSON's readers keep 53 bits of a number.
	Bias string `json:"bias,omitempty"`
}

// Settings are the choices that a run was made with.
type Settings struct {
	// Threads are the numbers of threads (or processes) that read at once.
	Threads []int `json:"threads"`
	// Rounds is the number of latency samples of each clock.
	Rounds int `json:"rounds"`
	// TimeNS is the span of one throughput measurement.
	TimeNS int64 `json:"time_ns"`
	// Distribution says that single reads were timed too.
	Distribution bool `json:"distribution,omitempty"`
	// TimerResolutionNS is the period of the Windows system timer that the run asked
	// for; absent where it asked for none.
	TimerResolutionNS int64 `json:"timer_resolution_ns,omitempty"`
	// Pin is none, compact, spread or a CPU list.
	Pin string `json:"pin"`
	// Workers is threads or processes.
	Workers string `json:"workers"`
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
	// ClockSources are the kernel's clock sources one after the other, where
	// they changed.
	ClockSources []string `json:"clocksources,omitempty"`
	// WallStepNS is the largest step of the wall clock against the monotonic
	// one; negative where the wall clock was set back.
	WallStepNS int64 `json:"wall_step_ns,omitempty"`
}

// A Warning is something that happened while a run measured.
type Warning struct {
	// Kind is one word for programs: preempted, steal, load, quota, speed,
	// clocksource, step, backwards.
	Kind string `json:"kind"`
	// Saw is what was seen, with figures.
	Saw string `json:"saw"`
	// Spoilt is what it may have done to the results.
	Spoilt string `json:"spoilt"`
	// Advice is what to do about it.
	Advice string `json:"advice"`
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

// Resolution is how fine a clock's values are.
type Resolution struct {
	// TickNS is the median step between values that differ. Where
	// FinerThanRead, no step could be seen and it is the unit of the values.
	// Absent where the clock was not seen to tick.
	TickNS float64 `json:"tick_ns,omitempty"`
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
	// ReadsPerSecond is the rate of all together: the median of the samples.
	ReadsPerSecond float64 `json:"reads_per_second"`
	// NSPerRead is the wall time of one read as one thread saw it; waiting for a
	// CPU is in it where Oversubscribed.
	NSPerRead float64 `json:"ns_per_read"`
	// Fairness is the reads of the slowest thread over those of the fastest.
	Fairness float64 `json:"fairness"`
	// Oversubscribed says that there were more threads than CPUs to run them.
	Oversubscribed bool `json:"oversubscribed"`
	// SamplesReadsPerSecond are the figures of the passes, or of the windows of
	// passes where Oversubscribed; ReadsPerSecond is their median.
	SamplesReadsPerSecond []float64 `json:"samples_reads_per_second"`
}
