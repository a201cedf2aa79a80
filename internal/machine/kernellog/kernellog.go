// Package kernellog reads what the Linux kernel logs about its clocks: lines of the log become typed events (Parse),
// and events become causes (Explain). It knows the formats of kernels since 2.6, in tables: one entry for each format
// (formats_*.go) and one rule for each cause (causes_*.go).
//
// It only reads text, so it works on every platform.
package kernellog

// A Kind is the kind of an Event, from the table of formats.
type Kind string

// An Event is one line of the log that says something about the clocks, with its figures. A figure that the line does
// not have is zero.
type Event struct {
	Kind Kind
	// Line is the text as logged, without the stamp; printable.
	Line string
	// AtNS is the time since boot in ns, if Timed.
	AtNS int64
	// Timed is whether the stamp is a time since boot.
	Timed bool
	// Stamp is the time stamp as printed; "" without one.
	Stamp string
	// Index is the index of the line among the parsed lines.
	Index int
	// Count is how often the line was logged: 1, or more for a line that Select has folded.
	Count int

	// Clock is the clock source of the line, in lower case: tsc, tsc-early, hpet, kvm-clock.
	Clock string
	// Watchdog is the clock source that checked the clock, or measured its rate.
	Watchdog string
	// IntervalNS is the interval that the clock counted, in ns, if Measured.
	IntervalNS float64
	// WatchdogNS is the interval that the watchdog counted, in ns, if the line has both.
	WatchdogNS float64
	// SkewNS is the interval of the clock less the interval of the watchdog, in ns, if the line has it.
	SkewNS float64
	// Measured is whether IntervalNS, or SkewNS in a line with only that, is known.
	Measured bool
	// Now, Last and Mask are the values of the counter and its mask, if the line has them.
	Now, Last, Mask uint64
	// DelayNS is how long a read took, LimitNS the limit for it, in ns.
	DelayNS, LimitNS float64
	// Hz is a rate in Hz.
	Hz float64
	// StepNS is by how much a program set the wall clock, in ns; 0 if unknown. Back is whether it went back.
	StepNS float64
	Back   bool
	// Cycles is a difference of counters between CPUs, in cycles; negative if behind.
	Cycles int64
	// CPUs are the CPUs that the line names, those it is about first.
	CPUs []int
	// Reason is why the kernel did it, in its own words: "clocksource watchdog", "TSC halts in idle".
	Reason string
	// Name is what else the line names: a hypervisor, a kernel release, an erratum, a boot parameter's line.
	Name string
}

// A Machine has the facts that the causes depend on. An empty field is unknown.
type Machine struct {
	// Arch is the architecture, as GOARCH.
	Arch string
	// Kernel is the release of the kernel: 6.1.0-28-amd64.
	Kernel string
	// CPU is the name of the CPU.
	CPU string
	// TSCHz is the rate of the TSC that the kernel uses, in Hz.
	TSCHz float64
	// Guest is whether it is a virtual machine.
	Guest bool
	// Hypervisor is what it runs on, as in the document: kvm, xen, hyperv, vmware, virtualbox, bhyve, xhyve.
	Hypervisor string
	// Parameters are the boot parameters about clocks: tsc=reliable, acpi=off.
	Parameters []string
	// ClockSource is the clock source in use.
	ClockSource string
}

// A Judgement is what a cause says about the TSC.
type Judgement string

const (
	// TSCUnknown means that the log does not show whether the TSC is right.
	TSCUnknown Judgement = ""
	// TSCRight means that the TSC kept time, and another part was wrong.
	TSCRight Judgement = "right"
	// TSCWrong means that the TSC must not be used for time: it went back, differs between CPUs, or has a wrong rate.
	TSCWrong Judgement = "wrong"
)

// A Cause explains why a clock is slow, wrong, or not in use.
type Cause struct {
	// Kind is the kind of the cause: one of the table of causes (Causes).
	Kind string
	// Title says what happened to which clock or part, in a few words; "" if it is harmless.
	Title string
	// Text says what happened, in one to three sentences with the arithmetic.
	Text string
	// Harmless is whether the cause calls for no remedy.
	Harmless bool
	// Inferred is whether nothing failed: the kernel knows it from the CPU's flags, the firmware or its command line.
	Inferred bool
	// Evidence are the lines that show it, each text once.
	Evidence []Event
	// Concerns is the part at fault.
	Concerns Subject
	// TSC is the judgement of the TSC. Advice to trust the TSC needs TSCRight.
	TSC Judgement
}

// A Subject is the part of a machine that a cause concerns.
type Subject string

const (
	// OfTSC is the TSC of this machine.
	OfTSC Subject = "tsc"
	// OfOtherSource is another clock source than the TSC.
	OfOtherSource Subject = "clock-source"
	// OfWallClock is the time of day.
	OfWallClock Subject = "wall-clock"
	// OfCounter is the counter of a CPU that has no TSC.
	OfCounter Subject = "counter"
	// OfGuests are the virtual machines that this machine runs.
	OfGuests Subject = "guests"
	// OfSandbox is the sandbox that the program runs in.
	OfSandbox Subject = "sandbox"
)
