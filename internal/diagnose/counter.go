package diagnose

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/counter"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/show/words"
)

// A counterRule is the clock source by which Linux reads a counter, and what the manual of the CPU promises about it;
// nothing where a feature bit has it.
type counterRule struct{ source, promise string }

var counterRules = map[string]counterRule{
	"RDTSC@cpu":      {"tsc", ""},
	"CNTVCT_EL0@cpu": {"arch_sys_counter", "the Arm architecture requires one counter with a fixed rate for all CPUs"},
	"CNTVCT@cpu":     {"arch_sys_counter", "the Arm architecture requires one counter with a fixed rate for all CPUs"},
	"RDTIME@cpu":     {"riscv_clocksource", "the RISC-V manual requires a constant rate, and one tick at most between CPUs"},
	"RDTIME.D@cpu":   {"Constant", "LoongArch requires a constant rate, and the same value on all CPUs"},
	"MFTB@cpu":       {"timebase", "the Power architecture requires a rate that programs can rely on, and the firmware makes the CPUs agree"},
	"STCKF@cpu":      {"tod", "the z/Architecture requires a fixed rate, and one clock for all CPUs"},
}

func (r counterRule) onX86() bool { return r.promise == "" }

// counterChecks are in the order of the reasons of equal weight. Each returns one piece of evidence about the CPU's
// counter, and its conclusion; "" without evidence.
var counterChecks = []func(*situation.Situation, counterRule, *counter.Counter) (evidence, conclusion string){
	readableCounter, equalCounters, steadyCounter, undisrupted, countsForKernel, agreedFrequency,
}

// JudgeCounter completes the section of the CPU's counter: the kernel's figure for its frequency, the reasons, the
// verdict. The evidence is in the document, which need not have the section.
func JudgeCounter(d *result.Document, c *counter.Counter) {
	s, rule := situation.Of(d), counterRules[c.Clock]
	_, uses := countsForKernel(s, rule, c)
	c.OfKernel = c.Reference != "" && (uses == counter.Yes || s.OnLinux() && s.ClockSource == rule.source ||
		pageOfHypervisor(s) != "" || d.Host.OS == "darwin")
	if rate := kernelRate(s); rule.onX86() && rate.HZ > 0 {
		c.Sources = append(c.Sources, rate)
	}
	c.Conclude() // the differences of the sources, for the last check
	for _, check := range counterChecks {
		if evidence, conclusion := check(s, rule, c); evidence != "" {
			c.Reasons = append(c.Reasons, counter.CounterReason{Evidence: evidence, Conclusion: conclusion})
		}
	}
	c.Conclude()
}

// kernelRate returns the rate of the TSC that the kernel counts by: from the last line of its log, or else from the
// page of a perf event. It is nominal if it is the kernel's first measurement, which may be wrong by 1 %.
func kernelRate(s *situation.Situation) counter.CounterRate {
	given := slices.Contains(s.Host.CPU.TSCFlags, "tsc_known_freq")
	rate := counter.CounterRate{Name: "kernel, multiplier and shift", HZ: s.Host.CPU.KernelTSCHz, Nominal: !given && s.ClockSource != "tsc"}
	for _, e := range s.Events() {
		if e.Hz > 0 && (e.Kind == "tsc-rate" || e.Kind == "tsc-refined") {
			name := words.Either(e.Kind == "tsc-rate", "Detected "+e.Name, "Refined TSC")
			rate = counter.CounterRate{Name: "kernel log, " + name, HZ: e.Hz, Nominal: e.Kind == "tsc-rate" && !given}
		}
	}
	return rate
}

// readableCounter: a program may execute the instruction, and it does not trap.
func readableCounter(s *situation.Situation, _ counterRule, _ *counter.Counter) (evidence, conclusion string) {
	c := situation.First(s.Clocks, func(c compare.Clock) bool { return isCounter(c.ID) }) // without a fence, if timed
	switch {
	case c != nil && !c.Available && c.Reason != "":
		return "it cannot be read: " + c.Reason, counter.No
	case c == nil || c.Latency == nil:
		return "the cost of a read is unknown, so reads may trap", counter.NotProven
	}
	cost := words.Duration(situation.CostNS(c.Latency))
	if traps(s, c) || s.Logs("counter-trapped") {
		return "each read traps to the kernel or the hypervisor, and takes " + cost, counter.No
	}
	return "a read takes " + cost + ", so it does not trap", counter.Yes
}

func isCounter(id string) bool { return strings.HasSuffix(id, "@cpu") }

// equalCounters: the CPUs have the same value.
func equalCounters(s *situation.Situation, rule counterRule, _ *counter.Counter) (evidence, conclusion string) {
	warp, missing, pairs, within, compared := "", "", 0, 0.0, skew.Skew{}
	for _, c := range s.Clocks {
		if r := c.Resolution; isCounter(c.ID) && r != nil && r.Backwards > 0 {
			warp = happened(c.ID, "went backwards", r.Backwards, r.WorstBackwardsNS)
		}
	}
	s.EachFault(func(c verify.VerifiedClock, f verify.ClockFault) {
		if isCounter(c.ID) && (f.Kind == verify.FaultWarp || f.Kind == verify.FaultBackwards) {
			warp = happened(c.ID, "went backwards", f.Count, f.WorstNS)
		}
	})
	if all := skew.Of(s.Document); all != nil {
		compared = *all
		compared.Clocks = slices.DeleteFunc(slices.Clone(all.Clocks), func(c skew.SkewedClock) bool { return !isCounter(c.ID) })
	}
	for _, c := range compared.Clocks {
		missing, pairs = compared.Missing(), max(pairs, len(c.Pairs))
		for _, p := range c.Pairs {
			within = max(within, math.Abs(p.OffsetNS)+p.BoundNS)
		}
	}
	from, after := words.Either(compared.Star(), " from the first", ""), ""
	if s.Shows("tsc-adjust") {
		after = ", after the kernel corrected TSC_ADJUST"
	}
	switch worst := compared.Worst(); {
	case worst != nil:
		return "the CPUs differ: " + worst.String(), counter.No
	case warp != "":
		return warp, counter.No
	case s.Host.CPU.Logical == 1:
		return "there is one CPU", counter.Yes
	case pairs > 0 && missing == "":
		return fmt.Sprintf("the CPUs differ%s by less than %s (%s)%s", from, words.Duration(within), words.Plural(pairs, "pair"), after), counter.Yes
	case !rule.onX86():
		return "", ""
	case missing != "":
		return "it is unknown whether the CPUs have the same value: " + byItself(missing, "skew --duration 20s"), counter.NotProven
	case after != "":
		return "the CPUs were not compared since the kernel corrected TSC_ADJUST (`timebench skew`)", counter.NotProven
	case s.ClockSource == "tsc" && !slices.Contains(s.Host.CPU.TSCFlags, "tsc_reliable") && s.Unset("tsc=reliable", "tsc=nowatchdog"):
		return "the kernel found no difference between the CPUs when they started; they were not compared again (`timebench skew`)", counter.Yes
	}
	return "the CPUs were not compared (`timebench skew`)", counter.NotProven
}

// steadyCounter: the rate is constant, and the counter does not stop.
func steadyCounter(s *situation.Situation, rule counterRule, _ *counter.Counter) (evidence, conclusion string) {
	hypervisor := "the hypervisor (" + s.Host.Virtualization.Visible() + ")"
	switch rates := s.TSCRates(); {
	case !rule.onX86():
		return rule.promise, counter.Yes
	case len(rates) > 0:
		return "it does not keep its rate: " + rates[0], counter.No
	case s.Invariant() && s.IsGuest():
		return hypervisor + " reports an invariant TSC, which a migration must not change", counter.Yes
	case s.Invariant():
		return "the CPU reports an invariant TSC: a constant rate, also while idle", counter.Yes
	case s.Host.CPU.InvariantTSC == nil:
		return "it is unknown whether the TSC is invariant", counter.NotProven
	case s.IsGuest():
		return hypervisor + " does not report an invariant TSC: a migration may change its rate", counter.NotProven
	}
	return "the CPU does not report an invariant TSC: the rate may follow the frequency of the CPU, or stop while idle", counter.No
}

// undisrupted: the hypervisor reports no disruption of the counter, if it has a VMClock.
func undisrupted(s *situation.Situation, _ counterRule, _ *counter.Counter) (evidence, conclusion string) {
	switch v := s.Host.VMClock; {
	case v != nil && v.Status == result.UnreliableVMClock:
		return "the hypervisor calls its VMClock unreliable, so a disruption of the counter may be unknown", counter.NotProven
	case v != nil && v.Disruptions > 0:
		return fmt.Sprintf("the hypervisor reports %s of the counter, by a restore or a migration (VMClock)",
			words.Plural(int(v.Disruptions), "disruption")), counter.NotProven
	}
	return "", ""
}

// pageOfHypervisor returns the clock source by which the kernel of a guest reads the TSC with the hypervisor's factors;
// "" if it does not.
func pageOfHypervisor(s *situation.Situation) string {
	switch w := s.Host.Windows; {
	case w != nil && w.QPC != nil && w.QPC.HypervisorPage && s.IsGuest():
		return "the page of " + s.Host.Virtualization.Visible()
	case s.OnLinux() && slices.Contains(situation.HypervisorClocks, s.ClockSource):
		return s.ClockSource
	}
	return ""
}

// rateCauses are the faults in a kernel log that concern what the kernel knows of the rate of the TSC, and not the TSC.
var rateCauses = []string{"wrong-cpuid-rate", "impossible-rate", "calibration-failed"}

// countsForKernel: the kernel reads the same counter for its own clocks. Its watchdog is known for false alarms, so a
// no needs a log that shows that the TSC itself was wrong.
func countsForKernel(s *situation.Situation, rule counterRule, _ *counter.Counter) (evidence, conclusion string) {
	name, page, faults := s.ClockSource, pageOfHypervisor(s), s.Faults()
	marked := words.Either(s.MarkedUnstable(), "the kernel marked the TSC unstable", "the kernel log doubts the TSC")
	doubt := situation.First(faults, func(c kernellog.Cause) bool { return c.TSC == kernellog.TSCWrong || s.MarkedUnstable() })
	wrong := situation.First(faults, func(c kernellog.Cause) bool {
		return c.TSC == kernellog.TSCWrong && !c.Inferred && !slices.Contains(rateCauses, c.Kind)
	})
	switch {
	case !s.OnLinux() && !s.OnWindows() && (!s.OnBSD() || !rule.onX86()): // the timecounters of BSDs have many names
		return "", ""
	case s.OnWindows() && page == "" && s.ReadsQPCInUserMode():
		return "QueryPerformanceCounter reads it in user mode", counter.Yes
	case s.OnWindows() && page == "":
		return "Windows does not read it in user mode for QueryPerformanceCounter", counter.NotProven
	case s.OnBSD() && !situation.IsTSCCounter(name):
		return "the kernel counts time by " + name, counter.NotProven
	case wrong != nil && rule.onX86():
		return marked + ": " + wrong.Title, counter.No
	case page != "":
		return "the kernel reads it through " + page + ", whose factors may change when the host migrates the machine", counter.NotProven
	case name == "":
		return "the clock source of the kernel is unknown", counter.NotProven
	case rule.onX86() && doubt != nil:
		return marked + ", without a proof: " + doubt.Title, counter.NotProven
	case name == rule.source || s.OnBSD():
		return "the kernel uses it as its clock source (" + name + ")", counter.Yes
	}
	return fmt.Sprintf("the kernel %s %s but uses %s", words.Either(s.Offers(rule.source), "offers", "does not offer"), rule.source, name), counter.NotProven
}

// agreedFrequency: the sources of the frequency agree.
func agreedFrequency(_ *situation.Situation, _ counterRule, c *counter.Counter) (evidence, conclusion string) {
	if c.HZ == 0 {
		return "its frequency is unknown", counter.NotProven
	}
	if evidence := disagreements(c); len(evidence) > 0 {
		return evidence[0], counter.NotProven
	}
	farthest, agreeing := 0.0, 0
	for _, r := range c.Sources {
		if !r.Nominal {
			farthest, agreeing = max(farthest, math.Abs(r.PPM)), agreeing+1
		}
	}
	text := "its frequency is " + c.Frequency() + words.Either(c.OfKernel, "", " by "+c.Reference)
	if agreeing > 0 {
		text += fmt.Sprintf("; %s within %s ppm", words.Plural(agreeing, "other source"), words.ThreeDigits(farthest))
	}
	return text, counter.Yes
}

// disagreements returns the sources that differ from the measurement by more than a program can correct.
func disagreements(c *counter.Counter) (evidence []string) {
	for _, r := range c.Sources {
		if c.Contradicts(r) {
			evidence = append(evidence, fmt.Sprintf("%s is %s by %s, but %s by %s: %s ppm",
				c.Clock, counter.MHz(r.HZ), r.Name, counter.MHz(c.HZ), c.Reference, words.SignedPPM(r.PPM)))
		}
	}
	return evidence
}

// wrongFrequency finds disagreements of the sources of the counter's frequency.
func wrongFrequency(s *situation.Situation) *result.Finding {
	c := counter.Of(s.Document)
	if c == nil {
		return nil
	}
	return foundBy(s, disagreements(c), "counter-rate")
}
