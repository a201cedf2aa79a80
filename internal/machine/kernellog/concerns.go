package kernellog

import (
	"slices"
	"strings"
)

// aboutProcesses matches a text about a process, which may have the name of a clock.
var aboutProcesses = lazily(`(?i)\bcomm[:=]|killed process|\bsegfault\b|blocked for more|out of memory|oom-kill|\baudit\b`)

// clockStems are texts in lower case. Every line that aboutClocks matches has one: a fast filter, since the expression
// takes 20 µs per line.
var clockStems = []string{"clock", "tsc", "hpet", "hypervisor", "xen version", "vmware", "hyperv", "acpi_pm", "timer", "timekeeping", "rtc", "read-back",
	"leap second", "ticks", "time source", "back to c!"}

// Concerns returns whether a line of the kernel log concerns its clocks, known to Parse or not.
func Concerns(line string) bool {
	line = cut(line)
	small := strings.ToLower(line)
	hasStem := slices.ContainsFunc(clockStems, func(stem string) bool { return strings.Contains(small, stem) })
	if !hasStem && !mayHave(small) {
		return false
	}
	m := Split(line)
	if m.Program {
		return false
	}
	if f := formatOf(m.Text); f != nil {
		return f.weight > weightNone
	}
	return hasStem && aboutClocks().MatchString(m.Text) && !aboutProcesses().MatchString(m.Text) && !aboutParameters().MatchString(m.Text)
}

// aboutParameters matches the lines with the kernel command line or the environment of init ("    TERM=linux"), which
// may hold secrets.
var aboutParameters = lazily(`(?i:command line)|^    `)

// leading matches what the kernel prints before a message: the names of a subsystem or a device, each with a colon, and
// what it is ("[Firmware Bug]: ").
var leading = lazily(`^(?:\[[^\]]*\]:?\s*)*(?:\* )?(?:[\w .,/'()-]{1,60}:\s+)*(?:\[[A-Z][A-Za-z ]+\]:? )?$`)

// Leads returns whether a text could be what the kernel prints before a message in the same line. Prose that quotes a
// message has other characters before it.
func Leads(text string) bool { return leading().MatchString(text) }

// Begins returns whether a text, without its stamp, begins with a message known to Parse.
func Begins(text string) bool {
	f := formatOf(text)
	return f != nil && Leads(text[:f.compiled().FindStringIndex(text)[0]])
}
