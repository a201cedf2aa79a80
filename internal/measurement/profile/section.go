package profile

import (
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
)

// Profile is the CPU time that programs spend on reading clocks.
type Profile struct {
	// DurationNS is the time that was sampled.
	DurationNS int64 `json:"duration_ns"`
	// RateHz is the number of samples in each second of CPU time.
	RateHz int `json:"rate_hz"`
	// Scope is which processes were sampled.
	Scope string `json:"scope" is:"machine|processes|command"`
	// Started is the started program.
	Started string `json:"started,omitempty"`
	// StartedStatus is its exit status; after a signal 128 and its number.
	StartedStatus int `json:"started_status,omitempty"`
	// ListsThreads is whether tables have the threads (--by-thread).
	ListsThreads bool `json:"lists_threads,omitempty"`
	// SeesKernel is whether the kernel was sampled.
	SeesKernel bool `json:"sees_kernel"`
	// Unseen are what the profile does not see, and why.
	Unseen []string `json:"unseen,omitempty"`
	// Unnamed is why functions have no name.
	Unnamed string `json:"unnamed,omitempty"`
	// Samples is the number of samples.
	Samples int `json:"samples"`
	// LostSamples is the number of lost records. The kernel reports them with the next record of the same CPU.
	LostSamples int `json:"lost_samples"`
	// CPUs is the number of online CPUs.
	CPUs int `json:"cpus"`
	// CPUsUsed is the CPU time per second.
	CPUsUsed float64 `json:"cpus_used"`
	// ClockCPUs is the CPU time of reading clocks per second.
	ClockCPUs float64 `json:"clock_cpus"`
	// ClockCPUsUserMode is the same if the vDSO read the CPU's counter.
	ClockCPUsUserMode float64 `json:"clock_cpus_user_mode,omitempty"`
	// KernelEntry is how often a read enters the kernel.
	KernelEntry string `json:"kernel_entry" is:"never|always|sometimes|unknown"`
	// ReadNS is the cost of CLOCK_MONOTONIC by the vDSO.
	ReadNS float64 `json:"read_ns,omitempty"`
	// SyscallNS is its cost by a system call.
	SyscallNS float64 `json:"syscall_ns,omitempty"`
	// UserModeNS is the time of a read if the vDSO read the CPU's counter.
	UserModeNS float64 `json:"user_mode_ns,omitempty"`
	// Processes are the programs with samples, first the program with most CPU time in reads. A program that another
	// program runs by execve(2) is a separate entry. Processes of a program with few samples each are a single entry.
	Processes []Process `json:"processes"`
}

// A Process is one program in one process, or in several with few samples each.
type Process struct {
	// PID is the process.
	PID int `json:"pid"`
	// ProcessCount is the number of processes, if several.
	ProcessCount int `json:"process_count,omitempty"`
	// Command is the name of the program.
	Command string `json:"command"`
	// Cgroup is its control group, if not the root.
	Cgroup string `json:"cgroup,omitempty"`
	// Reason is why something is missing, or what failed.
	Reason string `json:"reason,omitempty"`
	// Preloaded are preloaded libraries that return the time, with origin: /usr/lib/libfaketime.so.1 (LD_PRELOAD).
	Preloaded []string `json:"preloaded,omitempty"`
	// Samples is the number of samples.
	Samples int `json:"samples"`
	// CPUsUsed is the CPU time per second.
	CPUsUsed float64 `json:"cpus_used"`
	// ClockShare is the share of that in reading clocks.
	ClockShare *float64 `json:"clock_share,omitempty" is:"share"`
	// ClockShareLow is an end of its 95 % interval.
	ClockShareLow float64 `json:"clock_share_low" is:"share"`
	// ClockShareHigh is an end of its 95 % interval.
	ClockShareHigh float64 `json:"clock_share_high" is:"share"`
	// ClockCPUs is the CPU time of reading clocks per second.
	ClockCPUs float64 `json:"clock_cpus"`
	// UserShare is the share in the vDSO in user mode.
	UserShare float64 `json:"user_share" is:"share"`
	// KernelShare is the share in the kernel below the vDSO.
	KernelShare float64 `json:"kernel_share" is:"share"`
	// SyscallShare is the share in system calls of clocks.
	SyscallShare float64 `json:"syscall_share" is:"share"`
	// ReadsPerSecond is about the number of reads.
	ReadsPerSecond float64 `json:"reads_per_second,omitempty"`
	// Threads are the threads with most samples of reads, 20 at most.
	Threads []Thread `json:"threads,omitempty"`
	// Callers are the callers with most samples of reads, 20 at most.
	Callers []Caller `json:"callers,omitempty"`
	// OtherCallerSamples is the number of samples of further callers.
	OtherCallerSamples int `json:"other_caller_samples,omitempty"`
}

// A Thread is one of the 20 with most reads.
type Thread struct {
	// TID is the thread.
	TID int `json:"tid"`
	// Name is its name.
	Name string `json:"name,omitempty"`
	// Samples is the number of samples.
	Samples int `json:"samples"`
	// ClockSamples is the number of those in reads.
	ClockSamples int `json:"clock_samples"`
}

// A Caller is one of the 20 callers with most reads.
type Caller struct {
	// Functions are up to four functions, the innermost first: main (a.out).
	Functions []string `json:"functions"`
	// Samples is the number of samples.
	Samples int `json:"samples"`
}

// Kind is the kind of this section.
var Kind = section.Kind{New: func() result.Section { return new(Profile) }, Command: "profile", Pictures: pictures,
	Compare: section.Comparing(changesTitle, changesOf)}

// Of returns the section of a document; nil without one.
func Of(d *result.Document) *Profile { return result.Of[*Profile](d) }

// Key returns the key of the section in a document.
func (*Profile) Key() string { return "profile" }

// Check reports shares outside their intervals.
func (p *Process) Check(c *result.Checker) {
	c.Within("user_share and kernel_share and syscall_share together", min(p.UserShare+p.KernelShare+p.SyscallShare, 1),
		p.ClockShareLow, p.ClockShareHigh)
	if p.ClockShare != nil {
		c.Within("clock_share", *p.ClockShare, p.ClockShareLow, p.ClockShareHigh)
	}
}

// Check reports more samples of reads than samples.
func (t *Thread) Check(c *result.Checker) {
	c.Part("clock_samples", int64(t.ClockSamples), int64(t.Samples), "samples")
}
