// Package result is the result document of a run: its types, and how it is saved,
// loaded and checked. It knows no clock, no operating system and no section.
//
// Within one schema, keys are added but never removed. Every number has its unit
// in its name. The comments of the types are the descriptions in the JSON Schema,
// docs/timebench-1.schema.json, which
// `go test ./internal/document/result -run Schema -update` writes.
package result

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

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

// A Document is the result of one run on one machine.
type Document struct {
	// Schema is timebench/1.
	Schema string `json:"schema"`
	// GeneratedAt is the end of the run, in UTC.
	GeneratedAt time.Time `json:"generated_at"`
	// Interrupted is whether a signal ended the run; the figures are complete.
	Interrupted bool `json:"interrupted"`
	// Tool is the timebench that wrote the document.
	Tool Tool `json:"tool"`
	// Labels are from --label: host=web1.
	Labels []string `json:"labels,omitempty"`
	// Host is the machine.
	Host Host `json:"host"`
	// Settings are the settings of the run.
	Settings Settings `json:"settings"`
	// Conditions are the disturbances of the run.
	Conditions *Conditions `json:"conditions,omitempty"`
	// Warnings are disturbances that may have affected the figures; absent on a quiet machine.
	Warnings []Warning `json:"warnings,omitempty"`
	// Findings are problems of the clocks, the worst first.
	Findings []Finding `json:"findings,omitempty"`
	// NotChecked is what doctor could not check, or left out.
	NotChecked []NotChecked `json:"not_checked,omitempty" once:"what"`
	// Sections are the results of the measurements, whose keys come after those above.
	Sections []Section `json:"-"`
}

// A Tool is the timebench that wrote it.
type Tool struct {
	// Version is its version.
	Version string `json:"version"`
	// Revision is the commit, if known.
	Revision string `json:"revision,omitempty"`
	// Go is the version of Go.
	Go string `json:"go"`
	// Command is the command that measured.
	Command string `json:"command,omitempty"`
}

// A Host is the machine.
type Host struct {
	// OS is GOOS: linux.
	OS string `json:"os"`
	// Arch is GOARCH: amd64.
	Arch string `json:"arch"`
	// Distribution is name and version: debian 12.11.
	Distribution string `json:"distribution,omitempty"`
	// DistributionID is ID of os-release(5): debian.
	DistributionID string `json:"distribution_id,omitempty"`
	// DistributionLike is ID_LIKE of os-release(5).
	DistributionLike []string `json:"distribution_like,omitempty"`
	// ServiceManager is systemd, openrc, runit.
	ServiceManager string `json:"service_manager,omitempty"`
	// BootTools are programs that change kernel parameters: grubby.
	BootTools []string `json:"boot_tools,omitempty"`
	// WSL is 1 or 2.
	WSL int `json:"wsl,omitempty"`
	// Kernel is the release of the kernel.
	Kernel string `json:"kernel,omitempty"`
	// CPU is the processor.
	CPU CPU `json:"cpu"`
	// Virtualization is the hypervisor, if one was detected.
	Virtualization *Virtualization `json:"virtualization,omitempty"`
	// Container is docker, kubernetes, lxc, or unknown.
	Container string `json:"container,omitempty"`
	// ClockSource is the clock source of Linux, or the timecounter of a BSD.
	ClockSource *ClockSource `json:"clocksource,omitempty"`
	// Machine is the vendor and the model.
	Machine *Machine `json:"machine,omitempty"`
	// BootParameters are kernel parameters about clocks: tsc=reliable.
	BootParameters []string `json:"boot_parameters,omitempty"`
	// KernelLog has the lines of the kernel log about clocks.
	KernelLog *KernelLog `json:"kernel_log,omitempty"`
	// TimeSync is the state of the synchronisation of the wall clock.
	TimeSync *TimeSync `json:"time_sync,omitempty"`
	// NoModules is whether the kernel has no modules.
	NoModules bool `json:"no_modules,omitempty"`
	// WallOffsets compare the wall clock with other clocks.
	WallOffsets []WallOffset `json:"wall_offsets,omitempty" once:"against"`
	// VMClock is what the hypervisor reports about the guest's counter, if it does.
	VMClock *VMClock `json:"vm_clock,omitempty"`
	// TimeServices are the running programs and drivers that can set or slew the wall clock, each once.
	TimeServices []TimeService `json:"time_services,omitempty" once:"name"`
	// RefusedCalls are the system calls of clocks that are refused, as by a seccomp filter, each once.
	RefusedCalls []RefusedCall `json:"refused_calls,omitempty" once:"call"`
	// UnrestoredClockSource is left by an experiment that was killed, together with its guardian.
	UnrestoredClockSource *UnrestoredClockSource `json:"unrestored_clocksource,omitempty"`
	// Runtimes are the language runtimes in PATH.
	Runtimes []string `json:"runtimes,omitempty"`
	// Windows has facts of Windows.
	Windows *Windows `json:"windows,omitempty"`
	// MacOS has facts of macOS.
	MacOS *MacOS `json:"macos,omitempty"`
}

// A CPU is the processor, or all of them.
type CPU struct {
	// Model is its own name.
	Model string `json:"model,omitempty"`
	// Logical is the number of hardware threads.
	Logical int `json:"logical"`
	// Usable is the number of those that the process may use.
	Usable int `json:"usable"`
	// Quota is the quota of the control group.
	Quota float64 `json:"quota_cpus,omitempty"`
	// QuotaPeriodNS is its period.
	QuotaPeriodNS int64 `json:"quota_period_ns,omitempty"`
	// SchedulingPolicy is the process's real-time policy: SCHED_FIFO, SCHED_RR.
	SchedulingPolicy string `json:"scheduling_policy,omitempty"`
	// Physical is the number of cores.
	Physical int `json:"physical,omitempty"`
	// Packages is the number of sockets.
	Packages int `json:"packages,omitempty"`
	// Groups is the number of processor groups of Windows.
	Groups int `json:"groups,omitempty"`
	// InvariantTSC is whether the TSC's rate is constant.
	InvariantTSC *bool `json:"invariant_tsc,omitempty"`
	// TSCFlags are the TSC's flags in /proc/cpuinfo: constant_tsc.
	TSCFlags []string `json:"tsc_flags,omitempty"`
	// TSCHz is the measured rate of the TSC.
	TSCHz float64 `json:"tsc_hz,omitempty"`
	// TSCAsleepHz is its rate asleep.
	TSCAsleepHz float64 `json:"tsc_asleep_hz,omitempty"`
	// TSCLoadedHz is its rate while clocks were read, or under load.
	TSCLoadedHz float64 `json:"tsc_loaded_hz,omitempty"`
	// KernelTSCHz is its rate by the kernel.
	KernelTSCHz float64 `json:"kernel_tsc_hz,omitempty"`
	// Governors are the governors of cpufreq: performance, powersave.
	Governors []string `json:"governors,omitempty"`
}

// Virtualization is the hypervisor.
type Virtualization struct {
	// System is kvm, firecracker, xen, vmware, tcg (QEMU without KVM).
	System string `json:"system"`
	// Role is guest, host, or "guest or host" if unknown.
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

// A ClockSource is the clock source of Linux, or the timecounter of a BSD.
type ClockSource struct {
	// Current is in use, at the end if it changed.
	Current string `json:"current"`
	// Available are those that the kernel can use.
	Available []string `json:"available"`
	// Qualities are the qualities of the timecounters (kern.timecounter.choice). The kernel selects the highest, and
	// never a negative one. Absent on Linux.
	Qualities []Quality `json:"qualities,omitempty" once:"name"`
	// Settings are sysctls of a BSD about it.
	Settings []string `json:"settings,omitempty"`
	// UserMode is whether a BSD's C library reads it in user mode.
	UserMode *bool `json:"user_mode,omitempty"`
	// Algorithm is FreeBSD's: TSC, HPET, Hyper-V page, pvclock, generic timer.
	Algorithm string `json:"algorithm,omitempty"`
}

// A Quality is tc_quality of a BSD's timecounter.
type Quality struct {
	// Name is its name.
	Name string `json:"name" is:"named"`
	// Quality is higher for a better counter; a negative one is not selected.
	Quality int `json:"quality" is:"signed"`
}

// An UnrestoredClockSource is left by a killed experiment (compare --clocksources).
type UnrestoredClockSource struct {
	// Original is the clock source before it.
	Original string `json:"original"`
	// Since is the time of the first switch, in UTC.
	Since time.Time `json:"since"`
	// PID is the process.
	PID int `json:"pid"`
}

// A Machine is the vendor and model by the firmware (DMI).
type Machine struct {
	// Vendor is sys_vendor: Amazon EC2.
	Vendor string `json:"vendor,omitempty"`
	// Product is product_name: m5.large.
	Product string `json:"product,omitempty"`
}

// Name returns vendor and product.
func (m *Machine) Name() string { return strings.TrimSpace(m.Vendor + " " + m.Product) }

// A KernelLog has the lines of the kernel log about clocks.
type KernelLog struct {
	// Source is /dev/kmsg, syslog(2) or a file.
	Source string `json:"source,omitempty"`
	// Reason is why something is missing, or what failed.
	Reason string `json:"reason,omitempty"`
	// Truncated is whether earlier lines may be missing.
	Truncated bool `json:"truncated,omitempty"`
	// Boots is the number of boots in the log, if several. The lines are of the last.
	Boots int `json:"boots,omitempty"`
	// Mixed is whether no time since boot separates the boots. The lines are of all.
	Mixed bool `json:"mixed,omitempty"`
	// Lines are its lines, the oldest first.
	Lines []string `json:"lines,omitempty"`
}

// TimeSync is the synchronisation of the wall clock (adjtimex(2)).
type TimeSync struct {
	// Synchronised is whether the status has no STA_UNSYNC.
	Synchronised bool `json:"synchronised"`
	// OffsetNS is the remaining correction; negative: ahead.
	OffsetNS int64 `json:"offset_ns,omitempty" is:"signed"`
	// MaxErrorNS is maxerror.
	MaxErrorNS int64 `json:"max_error_ns,omitempty"`
	// FrequencyPPM is the correction of the rate; negative: slower.
	FrequencyPPM float64 `json:"frequency_ppm,omitempty" is:"signed"`
	// FrequencyLimitPPM is the largest correction (tolerance): 500.
	FrequencyLimitPPM float64 `json:"frequency_limit_ppm,omitempty"`
	// TickNS is the tick: 10 ms unless it slews.
	TickNS int64 `json:"tick_ns,omitempty"`
}

// A WallOffset is the offset of the wall clock from a real-time or PTP clock.
type WallOffset struct {
	// Against is the device of the other clock: rtc0, ptp0.
	Against string `json:"against" is:"named"`
	// Name is its name.
	Name string `json:"name,omitempty"`
	// OffsetNS is the step that corrects the wall clock.
	OffsetNS *int64 `json:"offset_ns,omitempty" is:"signed"`
	// BoundNS is the error bound.
	BoundNS int64 `json:"bound_ns,omitempty"`
	// By is how a PTP clock was read: PTP_SYS_OFFSET_PRECISE (no bound), PTP_SYS_OFFSET_EXTENDED, clock_gettime.
	By string `json:"by,omitempty"`
	// ZoneNS is the local time of the other clock minus UTC, included in offset_ns.
	ZoneNS int64 `json:"zone_ns,omitempty" is:"signed"`
	// Reason is why something is missing, or what failed.
	Reason string `json:"reason,omitempty"`
}

// UnreliableVMClock is the status of a VMClock whose counter the hypervisor calls unreliable.
const UnreliableVMClock = "unreliable"

// A VMClock is the page in which a hypervisor reports disruptions of the CPU's counter (/dev/vmclock0).
type VMClock struct {
	// DisruptionMarker changes with each disruption: a restore, a live migration.
	DisruptionMarker string `json:"disruption_marker,omitempty"`
	// Disruptions is the proven number of them.
	Disruptions int64 `json:"disruptions,omitempty"`
	// Generation changes with each restore from a snapshot, if the hypervisor counts them.
	Generation string `json:"generation,omitempty"`
	// Status is unknown, initializing, synchronized, freerunning, unreliable, or a number.
	Status string `json:"status,omitempty"`
	// MaxErrorNS is the error bound of its time.
	MaxErrorNS *int64 `json:"max_error_ns,omitempty"`
	// Reason is why something is missing, or what failed.
	Reason string `json:"reason,omitempty"`
}

// A TimeService is a program or driver that can set or slew the wall clock.
type TimeService struct {
	// Name is the driver, or the program with CAP_SYS_TIME.
	Name string `json:"name" is:"named"`
	// Setting is what makes it set the clock: timesync_implicit=Y.
	Setting string `json:"setting,omitempty"`
}

// A RefusedCall is a system call of clocks that a filter refuses, or an old kernel lacks.
type RefusedCall struct {
	// Call is clock_gettime, clock_gettime64 (32-bit programs only), gettimeofday, time or clock_getres.
	Call string `json:"call" is:"named"`
	// Errno is EPERM, ENOSYS.
	Errno string `json:"errno"`
	// Seccomp is whether the process has a seccomp filter.
	Seccomp bool `json:"seccomp,omitempty"`
}

// MacOS has facts of macOS.
type MacOS struct {
	// TimebaseNumerator is numer of mach_timebase_info.
	TimebaseNumerator int64 `json:"timebase_numerator" is:"positive"`
	// TimebaseDenominator is denom.
	TimebaseDenominator int64 `json:"timebase_denominator" is:"positive"`
	// UserMode is whether mach_absolute_time reads the counter in user mode.
	UserMode *bool `json:"user_mode,omitempty"`
	// Translated is whether Rosetta translates the program.
	Translated bool `json:"translated,omitempty"`
}

// Windows has facts of Windows.
type Windows struct {
	// Edition is EditionID and DisplayVersion: Professional 23H2.
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
	// PowerThrottling is on, off, or system (Windows decides).
	PowerThrottling string `json:"power_throttling,omitempty"`
	// Power is mains or battery.
	Power string `json:"power,omitempty"`
}

// Wine is what stands in for Windows.
type Wine struct {
	// Version is its version.
	Version string `json:"version"`
	// Host is its system: Linux 6.1.0.
	Host string `json:"host,omitempty"`
}

// A Timer is the system timer of Windows.
type Timer struct {
	// PeriodNS is the current period.
	PeriodNS int64 `json:"period_ns"`
	// FinestNS is the shortest.
	FinestNS int64 `json:"finest_ns"`
	// CoarsestNS is the longest.
	CoarsestNS int64 `json:"coarsest_ns"`
}

// W32Time is the Windows Time service.
type W32Time struct {
	// State is running, stopped or changing.
	State string `json:"state,omitempty"`
	// Start is auto, manual (also by triggers) or disabled.
	Start string `json:"start,omitempty"`
	// Type is the source: NTP (servers), NT5DS (domain), AllSync (both) or NoSync.
	Type string `json:"type,omitempty"`
	// Servers are its NTP servers.
	Servers string `json:"servers,omitempty"`
}

// An Adjustment is the wall clock's rate as a program set it (GetSystemTimeAdjustmentPrecise).
type Adjustment struct {
	// AdjustedHz is the update frequency.
	AdjustedHz int64 `json:"adjusted_hz"`
	// NominalHz is the nominal one.
	NominalHz int64 `json:"nominal_hz" is:"positive"`
}

// QPC is the counter behind QueryPerformanceCounter.
type QPC struct {
	// Hz is QueryPerformanceFrequency.
	Hz int64 `json:"hz"`
	// UserMode is whether reads stay in user mode.
	UserMode *bool `json:"user_mode,omitempty"`
	// HypervisorPage is whether the hypervisor page scales the counter.
	HypervisorPage bool `json:"hypervisor_page,omitempty"`
}

// Settings are the settings of a run.
type Settings struct {
	// Threads are the numbers of threads (or processes).
	Threads []int `json:"threads" is:"positive"`
	// ThreadsChosen is whether the user chose them.
	ThreadsChosen bool `json:"threads_chosen,omitempty"`
	// Rounds is the number of latency samples of each clock.
	Rounds int `json:"rounds"`
	// TimeNS is the time of a measurement of throughput, or of the run.
	TimeNS int64 `json:"time_ns"`
	// Repeat is the number of runs, if several.
	Repeat int `json:"repeat,omitempty"`
	// Distribution is whether single reads were timed.
	Distribution bool `json:"distribution,omitempty"`
	// TimerResolutionNS is the requested period of Windows' timer.
	TimerResolutionNS int64 `json:"timer_resolution_ns,omitempty"`
	// Pin is none, compact, spread or a CPU list.
	Pin string `json:"pin"`
	// Workers is threads or processes.
	Workers string `json:"workers"`
}

// A Warning is a disturbance of a run.
type Warning struct {
	// Kind is one word for programs.
	Kind string `json:"kind"`
	// Saw is what happened.
	Saw string `json:"saw"`
	// Spoilt is what it may have affected.
	Spoilt string `json:"spoilt"`
	// Advice is what to do.
	Advice string `json:"advice"`
}

// A Finding is what doctor found.
type Finding struct {
	// Kind is one word for programs.
	Kind string `json:"kind"`
	// Severity is a fault, a suspicion, or a fact.
	Severity string `json:"severity" is:"error|warn|note"`
	// Title is the finding in one line.
	Title string `json:"title"`
	// Evidence is what was measured and read.
	Evidence []string `json:"evidence"`
	// Cause is the cause, if the evidence shows it.
	Cause string `json:"cause,omitempty"`
	// Remedies are the remedies, the best first.
	Remedies []Remedy `json:"remedies,omitempty"`
	// Links are addresses of documentation.
	Links []string `json:"links,omitempty"`
}

// A NotChecked is a question that doctor could not answer, and why.
type NotChecked struct {
	// What is the question: which programs read clocks.
	What string `json:"what"`
	// Why is the reason.
	Why string `json:"why"`
}

// String returns a clause: "which programs read clocks, because that needs root".
func (n NotChecked) String() string { return n.What + ", because " + n.Why }

// A Remedy is one way to resolve it.
type Remedy struct {
	// Advice is what to do.
	Advice string `json:"advice"`
	// Commands are lines for a shell; # begins a remark on the next.
	Commands []string `json:"commands,omitempty"`
	// Risk is what may go wrong.
	Risk string `json:"risk,omitempty"`
}

// MaxLabels is the maximum number of labels of a document.
const MaxLabels = 64

// The limits of a label, in bytes.
const (
	maxLabelKey   = 63
	maxLabelValue = 200
)

var labelKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// CheckLabels returns an error for the first label that is wrong.
func CheckLabels(labels []string) error {
	if len(labels) > MaxLabels {
		return fmt.Errorf("%d labels are more than %d", len(labels), MaxLabels)
	}
	seen := map[string]bool{}
	for _, label := range labels {
		key, value, ok := strings.Cut(label, "=")
		switch {
		case !ok || value == "" || len(key) > maxLabelKey || !labelKey.MatchString(key):
			return fmt.Errorf("%.80q is no label; write key=value, such as host=web1", label)
		case len(value) > maxLabelValue || !utf8.ValidString(value) || strings.ContainsFunc(value,
			func(r rune) bool { return !unicode.IsPrint(r) }):
			return fmt.Errorf("the value of %s is longer than %d bytes, or is not printable", key, maxLabelValue)
		case seen[key]:
			return fmt.Errorf("%s appears twice", key)
		}
		seen[key] = true
	}
	return nil
}

// Label returns the value of a label; empty if the document does not have it.
func (d *Document) Label(key string) string {
	for _, label := range d.Labels {
		if name, value, _ := strings.Cut(label, "="); name == key {
			return value
		}
	}
	return ""
}
