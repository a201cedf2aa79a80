package diagnose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/result"
)

// choices are how somebody can have chosen the clock source in use, whether or not the
// kernel could use the TSC.
var choices = []reason{leftByExperiment, chosenAtRunTime, toldAtBoot}

// listed begins evidence from the kernel's list, which has the best rated first
// (clocksource_enqueue in kernel/time/clocksource.c).
const listed = "available clock sources, the best first: "

// best returns the clock source that the kernel rates highest; "" where its list is not
// known.
func best(d *result.Document) string {
	if all := offered(d); len(all) > 0 {
		return all[0]
	}
	return ""
}

// told returns the last parameter of the kernel's command line that names a clock source,
// which is the one that counts.
func told(d *result.Document) parameter {
	var last parameter
	for _, p := range parameters(d, "clocksource") {
		if p.value != "" {
			last = p
		}
	}
	return last
}

// byItself returns the clock source that the kernel uses when nobody chooses one while it
// runs: that of its command line, where it offers that one, else the best.
func byItself(d *result.Document) string {
	if name := told(d).value; available(d, name) {
		return name
	}
	return best(d)
}

// chosenAtRunTime: the kernel would use another one by itself. It uses what it rates
// highest, or what it was told at boot, until a name is written into current_clocksource
// (clocksource_select in kernel/time/clocksource.c).
func chosenAtRunTime(d *result.Document) (why, bool) {
	name, expected := source(d), byItself(d)
	_, gaveUp := surrendered(d)
	if name == expected || !available(d, name) || expected == "tsc" && gaveUp {
		return why{}, false
	}
	found := why{
		evidence: []string{listed + strings.Join(offered(d), " ")},
		remedies: undoChoice,
		links:    []string{clockSourceABI},
	}
	reasoning := fmt.Sprintf("The kernel rates %s highest and takes it by itself, and %s", expected, noOtherReason(d))
	if p := told(d); p.value == expected {
		reasoning = fmt.Sprintf("The kernel's command line names %s, which the kernel offers, and %s is in use", expected, name)
		found.evidence = append(found.evidence, onCommandLine+p.text+", which is not in use")
	}
	found.cause = fmt.Sprintf("%s: somebody chose %s while the system ran, by writing into current_clocksource. "+
		"That is inferred; who it was, a person, a script or a service, the kernel does not record.", reasoning, name)
	found.evidence = append(found.evidence, inLog(logged(d, switchedWords))...)
	return found, true
}

// noOtherReason says where no other reason stands, as far as the document has it.
func noOtherReason(d *result.Document) string {
	if log := d.Host.KernelLog; log == nil || log.Reason != "" || log.Truncated {
		return "its command line gives no reason against that (its log is not known from the boot on)"
	}
	return "neither its command line nor its log gives a reason against that"
}

const currentFile = "/sys/devices/system/clocksource/clocksource0/current_clocksource"

// undoChoice has the kernel choose again, and finds who chose.
func undoChoice(d *result.Document) []result.Remedy {
	var remedies []result.Remedy
	if name := best(d); name != source(d) {
		remedies = append(remedies, result.Remedy{
			Advice:   "Let the kernel choose again; by its list it takes " + name,
			Commands: []string{"echo | sudo tee " + currentFile, "cat " + currentFile},
			Risk:     fmt.Sprintf("Somebody may have had a reason to choose %s: find out first.", source(d)),
		})
	}
	remedies = append(remedies, result.Remedy{
		Advice:   "Find what chose it, or it is chosen again at the next boot: look into /etc/rc.local, the profiles of tuned, cron, systemd's units, and what provisions the machine (cloud-init, Ansible, Puppet)",
		Commands: []string{"sudo grep -rsl current_clocksource /etc /usr/lib/tuned /usr/lib/systemd"},
	})
	if name := told(d).value; name != "tsc" && available(d, name) {
		remedies = append(remedies, withoutParameter)
	}
	return append(remedies, switchOrAsk(d)...)
}

// toldAtBoot: the command line names the one in use.
func toldAtBoot(d *result.Document) (why, bool) {
	p := told(d)
	return toldBy([]parameter{p}), p.value != "" && p.value == source(d)
}

// kvmClockOff: what stands in for a TSC that is not invariant was turned off.
func kvmClockOff(d *result.Document) (why, bool) {
	off := parameters(d, "no_kvmclock")
	found := toldBy(off)
	found.cause = "KVM's own clock cannot take the TSC's place. " + found.cause
	isHost := d.Host.Virtualization != nil && d.Host.Virtualization.Role == "host"
	return found, len(off) > 0 && !available(d, "kvm-clock") && !isHost
}

// toldBy is the reason that parameters of the command line are.
func toldBy(all []parameter) why {
	var texts, evidence []string
	for _, p := range all {
		texts, evidence = append(texts, p.text), append(evidence, onCommandLine+p.text)
	}
	return why{
		cause:    "The kernel was told so on its command line: " + strings.Join(texts, " ") + ".",
		evidence: evidence,
		remedies: func(d *result.Document) []result.Remedy {
			return append([]result.Remedy{withoutParameter}, switchOrAsk(d)...)
		},
		links: []string{kernelParameters},
	}
}

var withoutParameter = result.Remedy{
	Advice:   "Take the parameter from the kernel's command line (/etc/default/grub on Debian and Ubuntu, then update-grub; grubby on Fedora and RHEL) and boot again",
	Commands: []string{"grep -oE 'notsc|tsc=[^ ]*|clocksource=[^ ]*|no[-_]kvmclock' /proc/cmdline"},
	Risk:     "Somebody may have had a reason: look whether this machine's TSC was once found unstable.",
}

// ineffective returns the parameter that names a clock source which the kernel cannot
// use, as evidence: it is no cause of anything, and somebody may believe in it.
func ineffective(d *result.Document) []string {
	p := told(d)
	switch {
	case p.value == "" || len(offered(d)) == 0 || available(d, p.value) || p.value == source(d):
		return nil
	case slices.Contains(knownSources, p.value):
		return []string{onCommandLine + p.text + ", which the kernel does not offer"}
	default:
		return []string{onCommandLine + p.text + " names no clock source the kernel has"}
	}
}

// knownSources are names that a kernel may have and not offer: what it gave up, or what
// does not suit its timers.
var knownSources = append(slices.Sorted(maps.Keys(natures)), "tsc", "tsc-early")

const switchedWords = "Switched to clocksource"

// switchedTo reports whether the kernel's log says that it has used a clock source.
func switchedTo(d *result.Document, name string) bool {
	return slices.ContainsFunc(logged(d, switchedWords), func(line string) bool {
		return strings.TrimSpace(after(line, switchedWords)) == name
	})
}
