// Package result is the result document of a run: its types, and how it is saved,
// loaded and checked. It knows no clock, no operating system and no section.
//
// Within one schema, keys are added but never removed. Every number has its unit
// in its name. The comments of the types are the descriptions in the JSON Schema,
// docs/timebench-1.schema.json, and in docs/result.md. Both are written by
// `go test ./internal/document/result -run Schema -update`.
package result

import "time"

// Schema is the schema of the documents that this package reads and writes.
const Schema = "timebench/1"

// The severities of a Finding: clocks are slow or wrong; they may be; good to know.
const (
	Error = "error"
	Warn  = "warn"
	Note  = "note"
)

// Severities are the values of Finding.Severity, the worst first.
var Severities = []string{Error, Warn, Note}

// How often a read of a clock enters the kernel. Unknown means that it could not be
// determined.
const (
	Never     = "never"
	Always    = "always"
	Sometimes = "sometimes"
	Unknown   = "unknown"
)

// A Document is the result of one run of timebench on one machine.
type Document struct {
	// Schema is the schema of the document.
	Schema string `json:"schema"`
	// GeneratedAt is when the run ended, in UTC.
	GeneratedAt time.Time `json:"generated_at"`
	// Interrupted is whether a signal ended the run. What is here is complete.
	Interrupted bool `json:"interrupted"`
	// Tool is the timebench that wrote the document.
	Tool Tool `json:"tool"`
	// Labels are what the user named the machine or the run by (--label): host=web1.
	Labels []string `json:"labels,omitempty"`
	// Host is the machine.
	Host Host `json:"host"`
	// Settings are the settings of the run.
	Settings Settings `json:"settings"`
	// Conditions are the disturbances of the run.
	Conditions *Conditions `json:"conditions,omitempty"`
	// Warnings are what may have affected the figures; a quiet machine has none.
	Warnings []Warning `json:"warnings,omitempty"`
	// Findings are problems of the clocks with their causes and remedies, the worst first.
	Findings []Finding `json:"findings,omitempty"`
	// Sections are the results of the measurements, whose keys come after those above.
	Sections []Section `json:"-"`
}

// A Tool is the timebench that wrote a document.
type Tool struct {
	// Version is the release version.
	Version string `json:"version"`
	// Revision is the commit, if the build knows it.
	Revision string `json:"revision,omitempty"`
	// Go is the version of the Go compiler.
	Go string `json:"go"`
	// Command is the command that measured: doctor. Absent if nothing was measured, and in old documents.
	Command string `json:"command,omitempty"`
}

// A Host is the machine. What could not be determined is absent.
type Host struct {
	// OS is the operating system, as Go names it: linux.
	OS string `json:"os"`
	// Arch is the architecture, as Go names it: amd64.
	Arch string `json:"arch"`
	// Distribution is the name and version of the system: debian 12.11.
	Distribution string `json:"distribution,omitempty"`
	// DistributionID is ID of os-release(5): debian, rocky, alpine.
	DistributionID string `json:"distribution_id,omitempty"`
	// DistributionLike is ID_LIKE of os-release(5), the closest first: rhel, centos, fedora.
	DistributionLike []string `json:"distribution_like,omitempty"`
	// ServiceManager is the program that starts services: systemd, openrc, runit.
	ServiceManager string `json:"service_manager,omitempty"`
	// BootTools are the installed programs that change the kernel command line: grubby, update-grub,
	// grub2-mkconfig, rpm-ostree.
	BootTools []string `json:"boot_tools,omitempty"`
	// WSL is the version of the Windows Subsystem for Linux: 1 or 2.
	WSL int `json:"wsl,omitempty"`
	// Kernel is the release of the kernel.
	Kernel string `json:"kernel,omitempty"`
	// CPU is the processor.
	CPU CPU `json:"cpu"`
	// Virtualization is the hypervisor, if one was detected.
	Virtualization *Virtualization `json:"virtualization,omitempty"`
	// Container is the container runtime: docker, lxc.
	Container string `json:"container,omitempty"`
	// ClockSource is the clock source of Linux, or the timecounter of a BSD.
	ClockSource *ClockSource `json:"clocksource,omitempty"`
	// Machine is the vendor and the model.
	Machine *Machine `json:"machine,omitempty"`
	// BootParameters are the parameters of the kernel command line that concern clocks: tsc=reliable.
	BootParameters []string `json:"boot_parameters,omitempty"`
	// KernelLog has the lines of the kernel log about clocks.
	KernelLog *KernelLog `json:"kernel_log,omitempty"`
	// TimeSync is the state of the synchronisation of the wall clock.
	TimeSync *TimeSync `json:"time_sync,omitempty"`
	// WallOffsets compare the wall clock with the real-time clock and the clock of the hypervisor's host, each
	// once.
	WallOffsets []WallOffset `json:"wall_offsets,omitempty" once:"against"`
	// TimeServices are the running programs and drivers that can set or slew the wall clock, each once.
	TimeServices []TimeService `json:"time_services,omitempty" once:"name"`
	// RefusedCalls are the system calls of clocks that are refused, as by a seccomp filter, each once.
	RefusedCalls []RefusedCall `json:"refused_calls,omitempty" once:"call"`
	// UnrestoredClockSource is left by an experiment that was killed, together with its guardian.
	UnrestoredClockSource *UnrestoredClockSource `json:"unrestored_clocksource,omitempty"`
	// Runtimes are the language runtimes in PATH, by their names in `timebench runtimes`.
	Runtimes []string `json:"runtimes,omitempty"`
	// Windows has the facts that only Windows has.
	Windows *Windows `json:"windows,omitempty"`
	// MacOS has the facts that only macOS has.
	MacOS *MacOS `json:"macos,omitempty"`
}

// A CPU is the processor, or all processors of a machine.
type CPU struct {
	// Model is the name that the processor reports.
	Model string `json:"model,omitempty"`
	// Logical is the number of logical CPUs (hardware threads).
	Logical int `json:"logical"`
	// Usable is the number of logical CPUs that the process may run on.
	Usable int `json:"usable"`
	// Quota is the CPU time that the process may use; absent if there is no limit.
	Quota float64 `json:"quota_cpus,omitempty"`
	// QuotaPeriodNS is the period of the quota.
	QuotaPeriodNS int64 `json:"quota_period_ns,omitempty"`
	// SchedulingPolicy is the real-time policy of the process: SCHED_FIFO, SCHED_RR; absent under an ordinary
	// policy.
	SchedulingPolicy string `json:"scheduling_policy,omitempty"`
	// Physical is the number of cores.
	Physical int `json:"physical,omitempty"`
	// Packages is the number of sockets.
	Packages int `json:"packages,omitempty"`
	// Groups is the number of processor groups of Windows.
	Groups int `json:"groups,omitempty"`
	// InvariantTSC is whether the rate of the time stamp counter is independent of the speed of the CPU.
	InvariantTSC *bool `json:"invariant_tsc,omitempty"`
	// TSCFlags are the flags of /proc/cpuinfo that concern the time stamp counter: constant_tsc, nonstop_tsc,
	// tsc_reliable.
	TSCFlags []string `json:"tsc_flags,omitempty"`
	// TSCHz is the measured rate of the time stamp counter.
	TSCHz float64 `json:"tsc_hz,omitempty"`
	// TSCAsleepHz is its rate while the process slept: lower if the counter stops on an idle CPU.
	TSCAsleepHz float64 `json:"tsc_asleep_hz,omitempty"`
	// TSCLoadedHz is its rate while the CPUs were busy: another one if the counter follows the speed of the CPU.
	TSCLoadedHz float64 `json:"tsc_loaded_hz,omitempty"`
	// KernelTSCHz is its rate by the kernel's calibration.
	KernelTSCHz float64 `json:"kernel_tsc_hz,omitempty"`
	// Governors are the cpufreq governors of the CPUs: performance, powersave, schedutil.
	Governors []string `json:"governors,omitempty"`
}

// Virtualization is the hypervisor, and the role of the machine.
type Virtualization struct {
	// System is the hypervisor: kvm, firecracker, xen, vmware.
	System string `json:"system"`
	// Role is guest, host, or "guest or host" if that cannot be determined.
	Role string `json:"role"`
}

// Visible returns the hypervisor as every user sees it. Only root finds Firecracker, in the kernel log
// and the ACPI tables; the CPU reports KVM, on which it runs.
func (v *Virtualization) Visible() string {
	switch {
	case v == nil:
		return ""
	case v.System == "firecracker":
		return "kvm"
	default:
		return v.System
	}
}

// A ClockSource is the clock source of Linux (/sys/devices/system/clocksource), or the timecounter of FreeBSD,
// NetBSD or OpenBSD (kern.timecounter).
type ClockSource struct {
	// Current is the clock source in use at the start of the run, or at its end if it changed.
	Current string `json:"current"`
	// Available are the clock sources that the kernel can use.
	Available []string `json:"available"`
	// Qualities are those of the timecounters (kern.timecounter.choice). The kernel selects the highest, and never
	// a negative one. Absent on Linux.
	Qualities []Quality `json:"qualities,omitempty" once:"name"`
	// Settings are the sysctls that decide whether a read enters the kernel and whether the TSC is used:
	// kern.timecounter.smp_tsc=0. Absent on Linux.
	Settings []string `json:"settings,omitempty"`
	// UserMode is whether the C library of a BSD reads the timecounter in user mode. Absent on Linux, and if unknown.
	UserMode *bool `json:"user_mode,omitempty"`
	// Algorithm is how the C library of FreeBSD reads it: TSC, HPET, Hyper-V page, pvclock, generic timer.
	Algorithm string `json:"algorithm,omitempty"`
}

// A Quality is the quality of a timecounter of a BSD kernel (tc_quality in sys/timetc.h).
type Quality struct {
	// Name is the timecounter: TSC-low, HPET, ACPI-fast.
	Name string `json:"name" is:"named"`
	// Quality is higher for a better counter; negative if the kernel does not select it by itself.
	Quality int `json:"quality" is:"signed"`
}

// An UnrestoredClockSource is left by an experiment (compare --clocksources) of which both processes ended before
// they restored the clock source.
type UnrestoredClockSource struct {
	// Original is the clock source in use before the experiment.
	Original string `json:"original"`
	// Since is the time of the first switch, in UTC.
	Since time.Time `json:"since"`
	// PID is the process that experimented.
	PID int `json:"pid"`
}

// A Machine is the vendor and model of the machine, from its firmware (DMI).
type Machine struct {
	// Vendor is DMI's sys_vendor: Amazon EC2, Google, Xen, QEMU.
	Vendor string `json:"vendor,omitempty"`
	// Product is DMI's product_name: m5.large, HVM domU, Standard PC.
	Product string `json:"product,omitempty"`
}

// A KernelLog has the lines of the kernel log about clocks.
type KernelLog struct {
	// Source is where the log was read from: /dev/kmsg, syslog(2), a file.
	Source string `json:"source,omitempty"`
	// Reason is why the log could not be read.
	Reason string `json:"reason,omitempty"`
	// Truncated is whether lines before the first may be missing: the kernel's buffer is a ring.
	Truncated bool `json:"truncated,omitempty"`
	// Lines are the lines of the log about clocks, the oldest first.
	Lines []string `json:"lines,omitempty"`
}

// TimeSync is the state of the synchronisation of the wall clock (adjtimex(2)).
type TimeSync struct {
	// Synchronised is whether the status has no STA_UNSYNC.
	Synchronised bool `json:"synchronised"`
	// OffsetNS is the remaining correction of the wall clock (offset); negative if the
	// clock is ahead.
	OffsetNS int64 `json:"offset_ns,omitempty" is:"signed"`
	// MaxErrorNS is the maximum error of the wall clock (maxerror).
	MaxErrorNS int64 `json:"max_error_ns,omitempty"`
	// EstimatedErrorNS is its estimated error (esterror).
	EstimatedErrorNS int64 `json:"estimated_error_ns,omitempty"`
	// FrequencyPPM is the correction of the clock's rate (freq); negative if the clock is slowed down.
	FrequencyPPM float64 `json:"frequency_ppm,omitempty" is:"signed"`
	// FrequencyLimitPPM is the largest correction of the rate, of either sign (tolerance): 500.
	FrequencyLimitPPM float64 `json:"frequency_limit_ppm,omitempty"`
	// TickNS is the advance of the wall clock in a tick of USER_HZ (tick); 10 ms unless it slews the clock.
	TickNS int64 `json:"tick_ns,omitempty"`
}

// A WallOffset is the offset of the wall clock from a clock that keeps the time while the machine does not run.
type WallOffset struct {
	// Against is the device of the other clock: rtc0, ptp0.
	Against string `json:"against" is:"named"`
	// Name is the name that the driver reports: KVM virtual PTP, hyperv, ptp_vmw, rtc_cmos rtc_cmos.
	Name string `json:"name,omitempty"`
	// OffsetNS is how far the wall clock must be moved to agree with the other clock: positive if it is behind.
	// What is beyond 1e18, about 31.7 years, is reported as that.
	OffsetNS *int64 `json:"offset_ns,omitempty" is:"signed"`
	// BoundNS is the error bound of OffsetNS: half of the time of the reading and of the other clock's resolution.
	BoundNS int64 `json:"bound_ns,omitempty"`
	// ZoneNS is how far the other clock's local time is ahead of UTC, which OffsetNS takes into account. A
	// real-time clock is in local time if /etc/adjtime says LOCAL, or if it differs by a multiple of 15 minutes,
	// up to 14 hours.
	ZoneNS int64 `json:"zone_ns,omitempty" is:"signed"`
	// Reason is why the other clock could not be read: /dev/ptp0: permission denied.
	Reason string `json:"reason,omitempty"`
}

// A TimeService is a program or driver that can set or slew the wall clock.
type TimeService struct {
	// Name is the driver, or the program with the capability CAP_SYS_TIME: chronyd, ntpd, systemd-timesyncd,
	// phc2sys, vmtoolsd, hyperv-timesync. Whether vmtoolsd sets the time (off by default) is not known.
	Name string `json:"name" is:"named"`
	// Setting is what decides whether it sets the clock: timesync_implicit=Y of the module hv_utils.
	Setting string `json:"setting,omitempty"`
}

// A RefusedCall is a system call of clocks that failed although the kernel has it, or that only old
// kernels lack.
type RefusedCall struct {
	// Call is the system call: clock_gettime, clock_gettime64 (32-bit programs only), gettimeofday, time,
	// clock_getres.
	Call string `json:"call" is:"named"`
	// Errno is the name of the error: EPERM, ENOSYS.
	Errno string `json:"errno"`
	// Seccomp is whether a seccomp filter is installed for the process.
	Seccomp bool `json:"seccomp,omitempty"`
}

// MacOS has the facts that only macOS has.
type MacOS struct {
	// TimebaseNumerator and TimebaseDenominator are the fraction by which ticks of mach_absolute_time are multiplied to get
	// nanoseconds (mach_timebase_info).
	TimebaseNumerator int64 `json:"timebase_numerator" is:"positive"`
	// TimebaseDenominator is its denominator.
	TimebaseDenominator int64 `json:"timebase_denominator" is:"positive"`
	// UserMode is whether mach_absolute_time reads the counter in user mode (_COMM_PAGE_USER_TIMEBASE). Absent on amd64,
	// which has no such field.
	UserMode *bool `json:"user_mode,omitempty"`
	// Translated is whether Rosetta translates the program (sysctl.proc_translated).
	Translated bool `json:"translated,omitempty"`
}

// Windows has the facts that only Windows has.
type Windows struct {
	// Edition is EditionID and DisplayVersion of the registry: Professional 23H2.
	Edition string `json:"edition,omitempty"`
	// Wine is absent on a real Windows.
	Wine *Wine `json:"wine,omitempty"`
	// Timer is the system timer at the start of the run.
	Timer *Timer `json:"timer,omitempty"`
	// QPC is the counter behind QueryPerformanceCounter.
	QPC *QPC `json:"qpc,omitempty"`
	// W32Time is the service that sets the wall clock. Absent under Wine.
	W32Time *W32Time `json:"w32time,omitempty"`
	// Adjustment is the rate that a program has set for the wall clock; absent if none has, and before Windows 10.
	Adjustment *Adjustment `json:"adjustment,omitempty"`
	// PowerThrottling is whether the process is throttled to save power: on, off, or system if Windows decides.
	PowerThrottling string `json:"power_throttling,omitempty"`
	// Power is the power supply: mains or battery.
	Power string `json:"power,omitempty"`
}

// Wine is the Wine in place of Windows.
type Wine struct {
	// Version is the version of Wine.
	Version string `json:"version"`
	// Host is the system that runs Wine: Linux 6.1.0.
	Host string `json:"host,omitempty"`
}

// A Timer is the system timer of Windows, whose period is the tick of the coarse
// clocks.
type Timer struct {
	// PeriodNS is the current period.
	PeriodNS int64 `json:"period_ns"`
	// FinestNS is the shortest period that a program can request.
	FinestNS int64 `json:"finest_ns"`
	// CoarsestNS is the longest period.
	CoarsestNS int64 `json:"coarsest_ns"`
}

// W32Time is the Windows Time service, from its key in the registry and the service manager.
type W32Time struct {
	// State is the state of the service: running, stopped or changing. Absent if it cannot be queried.
	State string `json:"state,omitempty"`
	// Start is when Windows starts the service: auto, manual (also by triggers) or disabled.
	Start string `json:"start,omitempty"`
	// Type is the source of the time: NTP (the servers), NT5DS (the domain), AllSync (both) or NoSync.
	Type string `json:"type,omitempty"`
	// Servers are the NTP servers (NtpServer): time.windows.com,0x9.
	Servers string `json:"servers,omitempty"`
}

// An Adjustment is the result of GetSystemTimeAdjustmentPrecise.
type Adjustment struct {
	// AdjustedHz is the adjusted clock update frequency.
	AdjustedHz int64 `json:"adjusted_hz"`
	// NominalHz is the clock update frequency.
	NominalHz int64 `json:"nominal_hz" is:"positive"`
}

// QPC is the counter behind QueryPerformanceCounter, from the page that the kernel
// shares with every process.
type QPC struct {
	// Hz is QueryPerformanceFrequency.
	Hz int64 `json:"hz"`
	// UserMode is whether a read does not enter the kernel. Absent without a shared page or a readable hypervisor
	// page, and under Wine.
	UserMode *bool `json:"user_mode,omitempty"`
	// HypervisorPage is whether the counter is scaled by the hypervisor page; current versions of Windows have it
	// also without a hypervisor.
	HypervisorPage bool `json:"hypervisor_page,omitempty"`
	// Shift is how many bits the CPU's counter is shifted right; absent if bias is.
	Shift *int `json:"shift,omitempty"`
	// Bias is added to the CPU's counter before the shift, modulo 2^64: 0xfffffffffffffff0. It is a text because
	// readers of JSON keep 53 bits of a number.
	Bias string `json:"bias,omitempty"`
}

// Settings are the settings of a run.
type Settings struct {
	// Threads are the numbers of threads (or processes) that read at once.
	Threads []int `json:"threads" is:"positive"`
	// Rounds is the number of latency samples of each clock; 0 if latency was not
	// measured.
	Rounds int `json:"rounds"`
	// TimeNS is the time of one throughput measurement; of verify, skew and drift, that of the whole run.
	TimeNS int64 `json:"time_ns"`
	// Repeat is the number of runs, each with so many rounds; absent for one.
	Repeat int `json:"repeat,omitempty"`
	// Distribution is whether single reads were timed too.
	Distribution bool `json:"distribution,omitempty"`
	// TimerResolutionNS is the period of the Windows system timer that the run requested.
	TimerResolutionNS int64 `json:"timer_resolution_ns,omitempty"`
	// Pin is none, compact, spread or a CPU list.
	Pin string `json:"pin"`
	// Workers is threads or processes.
	Workers string `json:"workers"`
}

// A Warning is a disturbance of a run.
type Warning struct {
	// Kind is one word for programs: preempted, steal, load, quota, speed,
	// clocksource, step, slewed, backwards, lost-cpu, realtime.
	Kind string `json:"kind"`
	// Saw is what happened, with figures.
	Saw string `json:"saw"`
	// Spoilt is which results it may have affected.
	Spoilt string `json:"spoilt"`
	// Advice is the remedy.
	Advice string `json:"advice"`
}

// A Finding is a problem or a peculiarity of the clocks of a machine.
type Finding struct {
	// Kind is one word for programs: kernel-entry, no-vdso, unsynchronised.
	Kind string `json:"kind"`
	// Severity is whether clocks are slow or wrong, they may be, or it is good to know.
	Severity string `json:"severity" is:"error|warn|note"`
	// Title is the finding in one line.
	Title string `json:"title"`
	// Evidence is what was measured and read, with figures.
	Evidence []string `json:"evidence"`
	// Cause is the cause, as far as the evidence shows it.
	Cause string `json:"cause,omitempty"`
	// Remedies are the remedies, the best first.
	Remedies []Remedy `json:"remedies,omitempty"`
	// Links are the addresses of documentation.
	Links []string `json:"links,omitempty"`
}

// A Remedy is one way to resolve a finding.
type Remedy struct {
	// Advice is what to do.
	Advice string `json:"advice"`
	// Commands are lines for a shell, in order; commands that change the system need
	// root.
	Commands []string `json:"commands,omitempty"`
	// Risk is what may go wrong.
	Risk string `json:"risk,omitempty"`
}
