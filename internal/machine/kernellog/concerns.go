package kernellog

import (
	"slices"
	"strings"
)

// aboutProcesses matches a text about a process, which may have the name of a clock.
var aboutProcesses = lazily(
	`(?i)\bcomm[:=]|killed process|\bsegfault\b|blocked for more|out of memory|oom-kill|\baudit\b`)

// clockStems are texts in lower case. Every line that aboutClocks matches has one: a fast filter, since the expression
// takes 20 µs per line.
var clockStems = []string{
	"clock", "tsc", "hpet", "hypervisor", "xen version", "vmware", "hyperv", "acpi_pm", "timer", "timekeeping", "rtc",
	"read-back", "leap second", "ticks", "time source", "back to c!",
}

// concerns returns whether a line of the kernel log concerns its clocks, known to Parse or not.
func concerns(line string) bool {
	_, _, about := judge(line)
	return about
}

// judge returns a line's parts and its format, and whether it concerns clocks. Most lines have no format and do not
// concern clocks; they are not split.
func judge(line string) (m Message, f *format, about bool) {
	line = cut(line)
	small := strings.ToLower(line)
	stem := hasStem(small)
	if !stem && !mayHave(small) {
		return m, nil, false
	}
	m = Split(line)
	if f = formatOf(m.Text); f != nil {
		return m, f, f.weight > weightFacts && f.writtenBy(m)
	}
	about = stem && !m.Program && aboutClocks().MatchString(m.Text)
	return m, nil, about && !aboutProcesses().MatchString(m.Text) && !aboutParameters().MatchString(m.Text)
}

// Mentions returns whether a line names a clock or the time, also in prose.
func Mentions(line string) bool {
	line = cut(line)
	small := strings.ToLower(line)
	if hasStem(small) {
		return true
	}
	may := strings.Contains(small, "time") || strings.Contains(small, "ntp") // a fast filter
	return may && aboutTime().MatchString(line)
}

func hasStem(small string) bool {
	return slices.ContainsFunc(clockStems, func(stem string) bool { return strings.Contains(small, stem) })
}

// usual matches the lines about clocks that most machines log, and that show no fault.
var usual = lazily(`(?i)^\s*(?:\S+ )?(?:ACPI: (?:HPET|PM-Timer IO Port|Reserving HPET)|` +
	`(?:pci \S+ )?(?:Force enabled )?hpet\S*[: ](?:\d+ channels|id|at|base|MMIO|\d+ \d+-bit|clockevent|channel|` +
	`acpi event|active|.*emulation)|sched_clock: (?:Marking (?:un)?stable|\d+ bits)|TSC deadline timer|` +
	`(?:tsc: )?Fast TSC calibration|tsc: (?:using|PIT calibration|Detected|Unable)|TSC: using|(?:kvm_\w+|SVM): TSC scaling|` +
	`clocksource: Not enough CPUs|clocksource: +CPU \d+ check durations|` +
	`Hyper-V: LAPIC|PTP clock|clocksource:? [\w .@-]+: mask|clocksource: (?:\S+ )?mult\[|` +
	`clocksource: +'\S+' is current clocksource|` +
	`clocksource: timekeeping watchdog on CPU\d+: \S+ retried|(?:clocksource: +)?No current clocksource|` +
	`\S*rtc\S*(?: [\w.:@-]+)?: |.*(?:real.time clock|RTC can wake)|(?:rtc|NO_HZ): |` +
	`.*\bPM: (?:calling |\S+ returned )|PM: RTC|Registering clocksource|riscv-timer|(?:\[<\w+>\] )?\? |` +
	`\s*Use TSC|.*\brtc device\b|vmware: using|Generic RTC|(?:x86/)?hpet: (?:Will disable|Config register|Counter not|Spurious|number irqs)|HPET (?:config register|counter not)|` +
	`hpet\d+ irq|TSC (?:calibrated against|runs at|delta adjusted)|TI gptimer|ARM System timer|ostm: |CPU ?#?\d+: Syncing TSC|.*synchronized TSC with CPU|` +
	`Spurious HPET|.*Using \S+ (?:based timekeeping|for gettimeofday)|[\w.@-]+\[\d+\]: |(?:mce: )?\[Hardware Error\]: TSC|CE: |` +
	`APIC (?:calibration|delta)|Refined|.*\bclockevent|.*Architected|.*arch_timer|Console|Using (?:tsc|hpet|` +
	`acpi_pm) for (?:high-res|base-timer)|Time: |hpet: HPET dysfunctional in PC10|Skipp?(?:ed|ing)? synchronization checks|` +
	`vboxdrv: TSC mode|I-pipe, \d|OMAP clocksource: |` +
	`.*Registered \S+ as (?:sched_clock|system counter)|timer_probe|Xen: using|xen: .*timer|` +
	`chronyd version |HPET not enabled in BIOS)`)

// Unjudged returns the lines about clocks whose meaning is unknown: no format matches, and a usual boot does not log
// them.
func Unjudged(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		m := Split(line)
		return m.Program || formatOf(m.Text) != nil || usual().MatchString(m.Text) || !concerns(line)
	})
}

// aboutTime matches a text that names a clock or the time.
var aboutTime = lazily(`(?i)(?:^|[^/.\w-])(?:clocks?|time(?:rs?|stamps?)?|ntp|rtc)(?:[^/.\w-]|$)`)

// aboutParameters matches the lines with the kernel command line or the environment of init ("    TERM=linux"), which
// may hold secrets.
var aboutParameters = lazily(`(?i:command line)|^    `)

// leading matches what the kernel prints before a message: the name of a subsystem or a device with a colon, and what
// it is ("[Firmware Bug]: ").
var leading = lazily(`^\s*(?:\[[^\]]*\]:?\s*)*(?:\* )?` +
	`(?:[\w.,:/@'()-]{1,60}(?: [\w.,:/@'()-]{1,60})?:\s+)?(?:[Ww]arning: )?(?:\[[A-Z][A-Za-z ]+\]:? )?$`)

// beforeNames matches what the kernel prints before the name that a device gives itself.
var beforeNames = lazily(`^(?:input|thunderbolt [\d-]+): `)

// leads returns whether the kernel could print a text before a message in the same line: the name of a subsystem or
// device. Prose that quotes a message, and a line with a name that somebody chose, have more before it.
func leads(text string) bool { return leading().MatchString(text) && !beforeNames().MatchString(text) }
