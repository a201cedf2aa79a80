package diagnose

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/counter"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/show/words"
)

// A counterRule is what the manual of a CPU promises about its counter, and the clock source by which Linux reads it.
// promise is empty where a feature bit has it.
type counterRule struct{ clock, source, promise string }

var counterRules = []counterRule{
	{"RDTSC@cpu", "tsc", ""},
	{"CNTVCT_EL0@cpu", "arch_sys_counter", "the Arm architecture requires one counter with a fixed rate for all CPUs"},
	{"CNTVCT@cpu", "arch_sys_counter", "the Arm architecture requires one counter with a fixed rate for all CPUs"},
	{"RDTIME@cpu", "riscv_clocksource", "the RISC-V manual requires a constant rate, and one tick at most between CPUs"},
	{"RDTIME.D@cpu", "Constant", "LoongArch requires a constant rate, and the same value on all CPUs"},
	{"MFTB@cpu", "timebase", "the Power architecture requires a rate that programs can rely on, and the firmware makes the CPUs agree"},
	{"STCKF@cpu", "tod", "the z/Architecture requires a fixed rate, and one clock for all CPUs"},
}

// A counterCheck returns one piece of evidence about the CPU's counter, and its conclusion; "" without evidence.
type counterCheck func(*situation.Situation, counterRule, *counter.Counter) (evidence, conclusion string)

// counterChecks are in the order of the reasons: the first reason of the worst conclusion is in the answer.
var counterChecks = []counterCheck{readableCounter, equalCounters, steadyCounter, undisrupted, countsForKernel, agreedFrequency}

// JudgeCounter completes the section of the CPU's counter: the kernel's figures for its frequency, the reasons, the
// verdict. The evidence is in the document, which need not have the section.
func JudgeCounter(d *result.Document, c *counter.Counter) {
	s := situation.Of(d)
	i := slices.IndexFunc(counterRules, func(r counterRule) bool { return r.clock == c.Clock })
	if i < 0 {
		c.Conclude()
		return
	}
	rule := counterRules[i]
	scaled := rule.onX86() && slices.Contains(situation.HypervisorClocks, s.ClockSource) // by the page of the hypervisor
	c.OfKernel = c.Reference != "" && s.OnLinux() && (s.ClockSource == rule.source || scaled)
	if rule.onX86() {
		c.Sources = append(c.Sources, kernelRates(s)...)
	}
	c.Conclude() // the frequency, for the last check
	for _, check := range counterChecks {
		if evidence, conclusion := check(s, rule, c); evidence != "" {
			c.Reasons = append(c.Reasons, counter.CounterReason{Evidence: evidence, Conclusion: conclusion})
		}
	}
	c.Conclude()
}

func (r counterRule) onX86() bool { return r.promise == "" }

// kernelRates returns the rates of the TSC that the kernel uses or used: from its log, or else from the page of a perf
// event. They are nominal, except the refined rate, and the rate that the kernel need not refine or counts by: its first
// measurement may be wrong by 1,000 ppm.
func kernelRates(s *situation.Situation) (all []counter.CounterRate) {
	add := func(name string, hz float64, exact bool) {
		if known := slices.ContainsFunc(all, func(r counter.CounterRate) bool { return r.Name == name }); hz > 0 && !known {
			all = append(all, counter.CounterRate{Name: name, HZ: hz, Nominal: !exact})
		}
	}
	given := slices.Contains(s.Host.CPU.TSCFlags, "tsc_known_freq")
	ofTSC := func(e kernellog.Event) bool { return e.Kind == "tsc-rate" && strings.EqualFold(e.Name, "TSC") }
	only := !slices.ContainsFunc(s.Events(), ofTSC) // the rate of the processor is its rate
	for _, e := range s.Events() {
		switch e.Kind {
		case "bogomips":
			add("kernel log, BogoMIPS", e.Hz, false)
		case "tsc-rate":
			add("kernel log, Detected "+e.Name, e.Hz, given && (only || ofTSC(e)))
		case "tsc-refined":
			add("kernel log, Refined TSC", e.Hz, true)
		}
	}
	if len(all) == 0 {
		add("kernel, multiplier and shift", s.Host.CPU.KernelTSCHz, given || s.ClockSource == "tsc")
	}
	return all
}

// readableCounter: a program may execute the instruction, and it does not trap.
func readableCounter(s *situation.Situation, rule counterRule, _ *counter.Counter) (evidence, conclusion string) {
	i := slices.IndexFunc(s.Clocks, func(c compare.Clock) bool { return c.ID == rule.clock })
	if i < 0 { // another instruction that reads it
		i = slices.IndexFunc(s.Clocks, func(c compare.Clock) bool { return c.Path == string(clock.CPU) })
	}
	switch {
	case i >= 0 && !s.Clocks[i].Available && s.Clocks[i].Reason != "":
		return "it cannot be read: " + s.Clocks[i].Reason, counter.No
	case i < 0 || s.Clocks[i].Latency == nil:
		return "the cost of a read is unknown, so reads may trap", counter.NotProven
	}
	cost := words.Duration(situation.CostNS(s.Clocks[i].Latency))
	if traps(s, &s.Clocks[i]) || s.Logs("counter-trapped") {
		return "each read traps to the kernel or the hypervisor, and takes " + cost, counter.No
	}
	return "a read takes " + cost + ", so it does not trap", counter.Yes
}

// equalCounters: the CPUs have the same value.
func equalCounters(s *situation.Situation, rule counterRule, _ *counter.Counter) (evidence, conclusion string) {
	isCounter, warp := func(id string) bool { return strings.HasSuffix(id, "@cpu") }, ""
	wentBackwards := func(id string, times int64, worstNS float64) {
		if isCounter(id) && times > 0 {
			warp = happened(id, "went backwards", times, worstNS)
		}
	}
	s.EachFault(func(c verify.VerifiedClock, f verify.ClockFault) {
		if f.Kind == verify.FaultWarp || f.Kind == verify.FaultBackwards {
			wentBackwards(c.ID, f.Count, f.WorstNS)
		}
	})
	for _, c := range s.Clocks {
		if c.Resolution != nil {
			wentBackwards(c.ID, c.Resolution.Backwards, c.Resolution.WorstBackwardsNS)
		}
	}
	var compared skew.Skew
	missing, pairs, within := "", 0, 0.0
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
	if slices.ContainsFunc(s.Causes(), func(c kernellog.Cause) bool { return c.Kind == "tsc-adjust" }) {
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
	known, hypervisor := s.Host.CPU.InvariantTSC != nil, ""
	if s.IsGuest() {
		hypervisor = "the hypervisor (" + s.Host.Virtualization.Visible() + ")"
	}
	switch rates := s.TSCRates(); {
	case !rule.onX86():
		return rule.promise, counter.Yes
	case len(rates) > 0:
		return "it does not keep its rate: " + rates[0], counter.No
	case s.Invariant() && hypervisor != "":
		return hypervisor + " reports an invariant TSC, which a migration must not change", counter.Yes
	case s.Invariant():
		return "the CPU reports an invariant TSC: a constant rate, also while idle", counter.Yes
	case !known:
		return "it is unknown whether the TSC is invariant", counter.NotProven
	case hypervisor != "":
		return hypervisor + " does not report an invariant TSC: a migration may change its rate", counter.NotProven
	}
	return "the CPU does not report an invariant TSC: the rate may follow the frequency of the CPU, or stop while idle", counter.No
}

// undisrupted: the hypervisor reports no disruption of the counter, if it has a VMClock.
func undisrupted(s *situation.Situation, _ counterRule, _ *counter.Counter) (evidence, conclusion string) {
	switch v := s.Host.VMClock; {
	case v == nil || v.DisruptionMarker == "":
		return "", ""
	case v.Status == result.UnreliableVMClock:
		return "the hypervisor calls its VMClock unreliable, so a disruption of the counter may be unknown", counter.NotProven
	case v.Disruptions > 0:
		return fmt.Sprintf("the hypervisor reports %s of the counter, by a restore or a migration (VMClock)",
			words.Plural(int(v.Disruptions), "disruption")), counter.NotProven
	}
	return "", ""
}

// countsForKernel: the kernel reads the same counter for its own clocks.
func countsForKernel(s *situation.Situation, rule counterRule, _ *counter.Counter) (evidence, conclusion string) {
	name, uses := s.ClockSource, "the kernel uses it as its clock source ("+s.ClockSource+")"
	wrong := slices.IndexFunc(s.Faults(), func(c kernellog.Cause) bool { return c.TSC == kernellog.TSCWrong })
	switch {
	case s.OnWindows() && s.ReadsQPCInUserMode():
		return "QueryPerformanceCounter reads it in user mode", counter.Yes
	case s.OnWindows():
		return "Windows does not read it in user mode for QueryPerformanceCounter", counter.NotProven
	case s.OnBSD() && situation.IsTSCCounter(name):
		return uses, counter.Yes
	case s.OnBSD() && !rule.onX86(): // its timecounters have many names
		return "", ""
	case s.OnBSD():
		return "the kernel counts time by " + name, counter.NotProven
	case !s.OnLinux():
		return "", ""
	case name == "":
		return "the clock source of the kernel is unknown", counter.NotProven
	case s.MarkedUnstable() && rule.onX86():
		return demoted(s)
	case wrong >= 0 && rule.onX86():
		return "the kernel log: " + s.Faults()[wrong].Title, counter.No
	case name == rule.source:
		return uses, counter.Yes
	case slices.Contains(situation.HypervisorClocks, name):
		return "the kernel reads it through " + name + ", whose factors may change when the host migrates the machine", counter.NotProven
	case s.Offers(rule.source):
		return fmt.Sprintf("the kernel offers %s but uses %s", rule.source, name), counter.NotProven
	}
	return fmt.Sprintf("the kernel uses %s, and does not offer %s", name, rule.source), counter.NotProven
}

// demoted returns why the kernel marked the TSC unstable. Its watchdog is known for false alarms, so the log must show that
// the TSC itself was wrong.
func demoted(s *situation.Situation) (evidence, conclusion string) {
	faults := s.Faults()
	wrong := slices.IndexFunc(faults, func(c kernellog.Cause) bool { return c.TSC == kernellog.TSCWrong && !c.Inferred })
	switch {
	case len(faults) == 0:
		return "the kernel marked the TSC unstable", counter.NotProven
	case wrong >= 0:
		return "the kernel marked the TSC unstable: " + faults[wrong].Title, counter.No
	case s.IsTSCRight():
		return "the kernel marked the TSC unstable, although it kept time: " + faults[0].Title, counter.NotProven
	case faults[0].Inferred:
		return "the kernel marked the TSC unstable, without a measurement: " + faults[0].Title, counter.NotProven
	}
	return "the kernel marked the TSC unstable, which does not prove that it is wrong: " + faults[0].Title, counter.NotProven
}

// agreedFrequency: the sources of the frequency agree.
func agreedFrequency(_ *situation.Situation, _ counterRule, c *counter.Counter) (evidence, conclusion string) {
	if c.HZ == 0 {
		return "its frequency is unknown", counter.NotProven
	}
	farthest, agreeing := 0.0, 0
	for _, r := range c.Sources {
		switch {
		case c.Contradicts(r):
			return disagrees(c, r), counter.NotProven
		case !r.Nominal:
			farthest, agreeing = max(farthest, math.Abs(*r.PPM)), agreeing+1
		}
	}
	if c.Reference == "" || agreeing == 0 {
		return fmt.Sprintf("its frequency is %s, by one source", c.Frequency()), counter.Yes
	}
	by := " by " + c.Reference
	if c.OfKernel {
		by = ""
	}
	return fmt.Sprintf("its frequency is %s%s; %s within %s ppm", c.Frequency(), by,
		words.Plural(agreeing, "other source"), words.ThreeDigits(farthest)), counter.Yes
}

func disagrees(c *counter.Counter, r counter.CounterRate) string {
	by := c.Reference
	if by == "" { // then one of the sources is the frequency
		by = c.Sources[slices.IndexFunc(c.Sources, func(r counter.CounterRate) bool { return r.HZ == c.HZ })].Name
	}
	return fmt.Sprintf("%s is %s by %s, but %s by %s: %s ppm", c.Clock, counter.MHz(r.HZ), r.Name, counter.MHz(c.HZ), by,
		words.SignedPPM(*r.PPM))
}

// wrongFrequency finds a source of the counter's frequency that differs from the measurement by more than a program can
// correct.
func wrongFrequency(s *situation.Situation) *result.Finding {
	c := counter.Of(s.Document)
	if c == nil {
		return nil
	}
	finding := &result.Finding{
		Title:    "the sources of the frequency of the CPU's counter disagree",
		Cause:    "A program that takes the frequency from the wrong source measures wrong times. NTP corrects 500 ppm at most, and PostgreSQL accepts 10 %.",
		Remedies: remedy.For(s, "avoid-counter"),
		Links:    []string{counterPage},
	}
	for _, r := range c.Sources {
		if c.Contradicts(r) {
			finding.Evidence = append(finding.Evidence, disagrees(c, r))
		}
	}
	return finding
}
