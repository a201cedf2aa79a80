// Package kernellog reads what the Linux kernel logs about its clocks: lines of the log become typed events (Parse),
// and events become causes (Explain). It knows the formats of kernels since 2.6, in tables of texts: an entry for each
// format (formats.txt), and a rule for each cause (reasons.txt, others.txt), which may have functions (causes_*.go).
//
// It only reads text, so it works on every platform.
package kernellog

// An Event is one line of the log that says something about the clocks, with its figures. A figure that the line does
// not have is zero.
type Event struct {
	Kind    string // the name of an entry of formats.txt
	Line    string // the text as logged, without the stamp; printable
	AtNS    int64  // the time since boot in ns, if Timed
	Timed   bool   // whether the stamp is a time since boot
	Stamp   string // the time stamp as printed; "" without one
	Index   int    // the index of the line among the parsed lines
	Program bool   // whether a program wrote it, such as a time service, and not the kernel
	Count   int    // how often the line was logged: 1, or more for a line that Select has folded

	Clock            string  // the clock source of the line, in lower case: tsc, tsc-early, hpet, kvm-clock
	Watchdog         string  // the clock source that checked the clock, or measured its rate
	IntervalNS       float64 // the interval that the clock counted, in ns, if Measured
	WatchdogNS       float64 // the interval that the watchdog counted, in ns, if the line has both
	SkewNS           float64 // the interval of the clock less the interval of the watchdog, in ns, if the line has it
	Measured         bool    // whether IntervalNS, or SkewNS in a line with only that, is known
	Now, Last, Mask  uint64  // the values of the counter and its mask, if the line has them
	DelayNS, LimitNS float64 // how long a read took, and the limit for it, in ns
	Hz               float64 // a rate in Hz
	StepNS           float64 // by how much a program set the wall clock, in ns; 0 if unknown
	Back             bool    // whether it went back
	Cycles           int64   // a difference of counters between CPUs, in cycles; negative if behind
	CPUs             []int   // the CPUs that the line names, those it is about first
	Reason           string  // why the kernel did it, in its own words: "clocksource watchdog", "TSC halts in idle"
	// another name in the line: of a hypervisor, a kernel release, an erratum, or the text of the kernel command line
	Name string
}

// A Machine has the facts that the causes depend on. An empty field is unknown.
type Machine struct {
	Arch        string   // the architecture, as GOARCH
	Kernel      string   // the release of the kernel: 6.1.0-28-amd64
	CPU         string   // the name of the CPU
	TSCHz       float64  // the rate of the TSC that the kernel uses, in Hz
	Guest       bool     // whether it is a virtual machine
	Hypervisor  string   // what it runs on, as in the document: kvm, xen, hyperv, vmware, virtualbox, bhyve, xhyve
	Parameters  []string // the boot parameters about clocks: tsc=reliable, acpi=off
	ClockSource string   // the clock source in use
	Offered     []string // the clock sources that can be used, by sysfs
	Firmware    string   // vendor and product by the DMI line; "Amazon EC2" before these on Xen of Amazon
}

// A Judgement is what a cause says about the TSC.
type Judgement string

// The judgements.
const (
	TSCUnknown Judgement = ""        // the log does not show whether the TSC is right
	TSCRight   Judgement = "right"   // the TSC kept time, and another part was wrong
	TSCDoubted Judgement = "doubted" // as unknown, but if it is wrong, it is far off: nobody should switch the watchdog off
	TSCWrong   Judgement = "wrong"   // it must not be used for time: it went back, differs between CPUs, or has a wrong rate
)

// A Cause explains why a clock is slow, wrong, or not in use.
type Cause struct {
	Kind     string // the kind of the cause: one of the table of causes (Causes)
	Title    string // what happened to which clock or part, in a few words; "" if it is harmless
	Text     string // what happened, in one to three sentences with the arithmetic
	Harmless bool   // whether the cause calls for no remedy
	// whether nothing failed: the kernel knows it from the CPU's flags, the firmware or its command line
	Inferred bool
	Evidence []Event   // the lines that show it, each text once
	Concerns Subject   // the part at fault
	TSC      Judgement // the judgement of the TSC. Advice to trust the TSC needs TSCRight.
}

// A Subject is the part of a machine that a cause concerns.
type Subject string

// The parts.
const (
	OfTSC         Subject = "tsc"          // the TSC of this machine
	OfOtherSource Subject = "clock-source" // another clock source than the TSC
	OfWallClock   Subject = "wall-clock"   // the time of day
	OfCounter     Subject = "counter"      // the counter of a CPU that has no TSC
	OfGuests      Subject = "guests"       // the virtual machines that this machine runs
	OfSandbox     Subject = "sandbox"      // the sandbox that the program runs in
)
