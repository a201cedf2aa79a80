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

// The severities of a Finding: clocks are slow or wrong; they may be; it is good to
// know.
const (
	Error = "error"
	Warn  = "warn"
	Note  = "note"
)

// Severities are the values of Finding.Severity, the worst first.
var Severities = []string{Error, Warn, Note}

// How often a read of a clock enters the kernel. Unknown is where it was asked and
// could not be found out.
const (
	Never     = "never"
	Always    = "always"
	Sometimes = "sometimes"
	Unknown   = "unknown"
)

// KernelEntries are the values of Clock.KernelEntry.
var KernelEntries = []string{Never, Always, Sometimes, Unknown}

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
	// Warnings say what may have spoilt the figures; a quiet machine has none.
	Warnings []Warning `json:"warnings,omitempty"`
	// Findings say what is wrong with the clocks here and what to do about it, the
	// worst first; a healthy machine has none.
	Findings []Finding `json:"findings,omitempty"`
	// Sections are what measurements leave. The keys of an [Inline] section stand among
	// those above, each other section under a key of its own that follows them.
	Sections []Section `json:"-"`
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
	// Machine is who made the machine, as its firmware says.
	Machine *Machine `json:"machine,omitempty"`
	// BootParameters are those of the kernel's command line (/proc/cmdline) that
	// concern clocks, each as it is written there: tsc=reliable.
	BootParameters []string `json:"boot_parameters,omitempty"`
	// KernelLog is what the kernel's log says of clocks.
	KernelLog *KernelLog `json:"kernel_log,omitempty"`
	// TimeSync is how the kernel keeps the wall clock right.
	TimeSync *TimeSync `json:"time_sync,omitempty"`
	// UnrestoredClockSource is the switch of an experiment of timebench that was killed
	// with its guardian before it could restore; absent where there is none.
	UnrestoredClockSource *UnrestoredClockSource `json:"unrestored_clocksource,omitempty"`
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
	// SchedulingPolicy is the real-time policy that the process runs under, as chrt(1) sets
	// it: SCHED_FIFO, SCHED_RR; absent under an ordinary one.
	SchedulingPolicy string `json:"scheduling_policy,omitempty"`
	// Physical counts the cores.
	Physical int `json:"physical,omitempty"`
	// Packages counts the sockets.
	Packages int `json:"packages,omitempty"`
	// Groups counts the processor groups of Windows, of up to 64 logical CPUs each.
	Groups int `json:"groups,omitempty"`
	// InvariantTSC says whether the time stamp counter of an x86 CPU keeps its
	// rate whatever the CPU's speed.
	InvariantTSC *bool `json:"invariant_tsc,omitempty"`
	// TSCFlags are the CPU's flags that concern its time stamp counter, as
	// /proc/cpuinfo names them: constant_tsc, nonstop_tsc, tsc_reliable.
	TSCFlags []string `json:"tsc_flags,omitempty"`
	// TSCHz is the measured rate of the time stamp counter.
	TSCHz float64 `json:"tsc_hz,omitempty"`
	// TSCAsleepHz is the counter's rate over a span in which the process slept: lower
	// where the counter stops with an idle CPU.
	TSCAsleepHz float64 `json:"tsc_asleep_hz,omitempty"`
	// TSCLoadedHz is the counter's rate over a span in which the process kept its
	// CPUs busy: another where the counter follows the CPU's speed.
	TSCLoadedHz float64 `json:"tsc_loaded_hz,omitempty"`
	// KernelTSCHz is the rate that the kernel takes the time stamp counter to have.
	KernelTSCHz float64 `json:"kernel_tsc_hz,omitempty"`
	// Governors are the cpufreq policies that choose the CPUs' speed
	// (scaling_governor), each once: performance, powersave, schedutil.
	Governors []string `json:"governors,omitempty"`
}

// Virtualization is the hypervisor beneath the machine, and the machine's role.
type Virtualization struct {
	// System names the hypervisor: kvm, firecracker, xen, vmware.
	System string `json:"system"`
	// Role is guest, host, or "guest or host" where the system does not tell.
	Role string `json:"role"`
}

// A ClockSource is what the Linux kernel makes its time of.
type ClockSource struct {
	// Current is the clock source in use when the run began; where it changed meanwhile, the
	// one in use at the end.
	Current string `json:"current"`
	// Available are all that the kernel could use.
	Available []string `json:"available"`
}

// An UnrestoredClockSource is the switch of an experiment (compare --clocksources) of which
// both processes ended before the original was back.
type UnrestoredClockSource struct {
	// Original is the clock source that was in use before.
	Original string `json:"original"`
	// Since is when the experiment switched for the first time, in UTC.
	Since time.Time `json:"since"`
	// PID is the process of the experiment, which has ended.
	PID int `json:"pid"`
}

// A Machine is who made the machine, as its firmware says (DMI, which Linux shows
// in /sys/class/dmi/id). Clouds name themselves here.
type Machine struct {
	// Vendor is DMI's sys_vendor: Amazon EC2, Google, Xen, QEMU.
	Vendor string `json:"vendor,omitempty"`
	// Product is DMI's product_name: m5.large, HVM domU, Standard PC.
	Product string `json:"product,omitempty"`
}

// A KernelLog is what the kernel's log says of clocks.
type KernelLog struct {
	// Source is where the log was read: /dev/kmsg, syslog(2), a file.
	Source string `json:"source,omitempty"`
	// Reason says why the log could not be read.
	Reason string `json:"reason,omitempty"`
	// Truncated says that the log no longer reaches back to the boot: the kernel's
	// buffer is a ring, so lines may be missing before the first.
	Truncated bool `json:"truncated,omitempty"`
	// Lines are the lines of the log about clocks, the oldest first.
	Lines []string `json:"lines,omitempty"`
}

// TimeSync is how the kernel keeps the wall clock right, as adjtimex(2) tells.
type TimeSync struct {
	// Synchronised says that the kernel takes the wall clock to be right: no
	// STA_UNSYNC in the status.
	Synchronised bool `json:"synchronised"`
	// OffsetNS is how far the kernel has yet to move the wall clock; negative where
	// the clock is ahead.
	OffsetNS int64 `json:"offset_ns,omitempty"`
	// MaxErrorNS is how wrong the wall clock may be at most (maxerror).
	MaxErrorNS int64 `json:"max_error_ns,omitempty"`
	// EstimatedErrorNS is how wrong it probably is (esterror).
	EstimatedErrorNS int64 `json:"estimated_error_ns,omitempty"`
	// FrequencyPPM is by how much the clock's rate is corrected (freq), in millionths;
	// negative where the clock is slowed down.
	FrequencyPPM float64 `json:"frequency_ppm,omitempty"`
	// TickNS is by how much the kernel moves the wall clock in a tick of USER_HZ
	// (tick); 10 ms on a machine whose clock is not being slewed by it.
	TickNS int64 `json:"tick_ns,omitempty"`
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
	// is no shared page, where HypervisorPage leaves it open, and under Wine, which does
	// not go by the page and leaves it empty.
	UserMode *bool `json:"user_mode,omitempty"`
	// HypervisorPage says that the counter is scaled by a page that the hypervisor
	// shares.
	HypervisorPage bool `json:"hypervisor_page,omitempty"`
	// Shift is how many bits the CPU's counter is shifted right; absent as Bias is.
	Shift *int `json:"shift,omitempty"`
	// Bias is added to the CPU's counter before the shift, modulo 2^64. It is a text
	// such as 0xfffffffffffffff0: JSON's readers keep 53 bits of a number.
	Bias string `json:"bias,omitempty"`
}

// Settings are the choices that a run was made with.
type Settings struct {
	// Threads are the numbers of threads (or processes) that read at once.
	Threads []int `json:"threads"`
	// Rounds is the number of latency samples of each clock; 0 where latency was not
	// measured.
	Rounds int `json:"rounds"`
	// TimeNS is the span of one throughput measurement; of a run that verified clocks,
	// or held them against each other, the span that it was given for all.
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

// A Warning is something that happened while a run measured.
type Warning struct {
	// Kind is one word for programs: preempted, steal, load, quota, speed,
	// clocksource, step, slewed, backwards, lost-cpu, realtime.
	Kind string `json:"kind"`
	// Saw is what was seen, with figures.
	Saw string `json:"saw"`
	// Spoilt is what it may have done to the results.
	Spoilt string `json:"spoilt"`
	// Advice is what to do about it.
	Advice string `json:"advice"`
}

// A Finding is something about the clocks of a machine that its owner should know.
type Finding struct {
	// Kind is one word for programs: kernel-entry, no-vdso, unsynchronised.
	Kind string `json:"kind"`
	// Severity is error, warn or note: clocks are slow or wrong; they may be; it
	// is good to know.
	Severity string `json:"severity"`
	// Title is the finding in a line.
	Title string `json:"title"`
	// Evidence is what was measured and read, each piece with its figures.
	Evidence []string `json:"evidence"`
	// Cause is why it is so, as far as the evidence tells.
	Cause string `json:"cause,omitempty"`
	// Remedies are what can be done, the best first.
	Remedies []Remedy `json:"remedies,omitempty"`
	// Links are the addresses of documents by those who know.
	Links []string `json:"links,omitempty"`
}

// A Remedy is one thing that can be done about a finding.
type Remedy struct {
	// Advice is what to do.
	Advice string `json:"advice"`
	// Commands are lines for a shell, in order, to be copied; for root where they
	// change the system.
	Commands []string `json:"commands,omitempty"`
	// Risk is what may go wrong with it.
	Risk string `json:"risk,omitempty"`
}
