package diagnose

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

// choices are the ways in which somebody can have selected the clock source in use, whether
// or not the kernel could use the TSC.
var choices = []reason{leftByExperiment, selectedAtRunTime, setAtBoot}

// listed begins evidence from available_clocksource, which the kernel sorts by rating
// (clocksource_enqueue in kernel/time/clocksource.c).
const listed = "available clock sources, best first: "

func best(d *result.Document) string {
	if all := clockSources(d); len(all) > 0 {
		return all[0]
	}
	return ""
}

// bootChoice returns the last parameter of the kernel command line that names a clock
// source: the last one counts.
func bootChoice(d *result.Document) parameter {
	var last parameter
	for _, p := range parameters(d, "clocksource") {
		if p.value != "" {
			last = p
		}
	}
	return last
}

// defaultSource returns the clock source that the kernel uses if nobody selects one at run
// time: the one of its command line if it is available, otherwise the best.
func defaultSource(d *result.Document) string {
	if name := bootChoice(d).value; offers(d, name) {
		return name
	}
	return best(d)
}

// selectedAtRunTime: the kernel would use another clock source. Only a name written to
// current_clocksource changes that (clocksource_select in kernel/time/clocksource.c).
func selectedAtRunTime(d *result.Document) (why, bool) {
	name, expected := clockSource(d), defaultSource(d)
	if name == expected || !offers(d, name) || expected == "tsc" && markedUnstable(d) {
		return why{}, false
	}
	found := why{
		evidence: []string{listed + strings.Join(clockSources(d), " ")},
		remedies: undoSelection,
		links:    []string{clockSourceABI},
	}
	reasoning := fmt.Sprintf("The kernel rates %s highest and selects it by default. ", expected)
	if seenWhole(d) {
		reasoning += "Neither the kernel command line nor the kernel log explains the other choice."
	} else {
		reasoning += "The kernel command line does not explain the other choice (the kernel log since the boot is not known)."
	}
	if p := bootChoice(d); p.value == expected {
		reasoning = fmt.Sprintf("The kernel command line names %s, which is available, but %s is in use.", expected, name)
		found.evidence = append(found.evidence, onCommandLine+p.text+", which is not in use")
	}
	found.cause = fmt.Sprintf("%s Therefore somebody selected %s at run time, by writing to current_clocksource. "+
		"This is inferred: the kernel does not record who it was (a person, a script, a service).", reasoning, name)
	found.evidence = append(found.evidence, logEvidence(switches(d))...)
	return found, true
}

const currentFile = "/sys/devices/system/clocksource/clocksource0/current_clocksource"

// switchTo returns the commands that select a clock source; "" has the kernel select the best.
func switchTo(name string) []string {
	return []string{strings.Join(words.Present("echo", name, "| sudo tee", currentFile), " "), "cat " + currentFile}
}

// undoSelection are the names of the remedies for a clock source that somebody selected.
var undoSelection = append([]string{"choose-again", "find-chooser", "remove-choice"}, useTSC...)

func setAtBoot(d *result.Document) (why, bool) {
	p := bootChoice(d)
	return setBy("The clock source is set", p), p.value != "" && p.value == clockSource(d)
}

// kvmClockOff: kvm-clock, which replaces a TSC that is not invariant, was disabled.
func kvmClockOff(d *result.Document) (why, bool) {
	off := parameters(d, "no_kvmclock")
	isHost := d.Host.Virtualization != nil && d.Host.Virtualization.Role == "host"
	return setBy("kvm-clock, which could replace the TSC, is disabled", off...), len(off) > 0 && !offers(d, "kvm-clock") && !isHost
}

func setBy(effect string, all ...parameter) why {
	var texts, evidence []string
	for _, p := range all {
		texts, evidence = append(texts, p.text), append(evidence, onCommandLine+p.text)
	}
	return why{
		cause:    effect + " on the kernel command line: " + strings.Join(texts, " ") + ".",
		evidence: evidence,
		remedies: append([]string{"remove-choice"}, useTSC...),
		links:    []string{kernelParameters},
	}
}

// unusedParameter returns evidence if the kernel command line names a clock source that the
// kernel cannot use. It causes nothing, but somebody may rely on it.
func unusedParameter(d *result.Document) []string {
	p := bootChoice(d)
	if p.value == "" || len(clockSources(d)) == 0 || offers(d, p.value) || p.value == clockSource(d) {
		return nil
	}
	return []string{onCommandLine + p.text + ", which is not available"}
}

func unrestored(d *result.Document) *result.Finding {
	left := d.Host.UnrestoredClockSource
	if left == nil || left.Original == clockSource(d) {
		return nil
	}
	return &result.Finding{
		Title: fmt.Sprintf("an experiment of timebench left the clock source switched to %s; it was %s", clockSource(d), left.Original),
		Evidence: []string{
			fmt.Sprintf("/run/timebench/clocksource.json: process %d switched it from %s at %s", left.PID, left.Original, left.Since.UTC().Format(time.DateTime+" UTC")),
			"neither that process nor its guardian is running, and the clock source in use is " + clockSource(d),
		},
		Cause: "`timebench compare --clocksources` and its guardian process were killed at the same time: " +
			"with their control group, with their container, or both by kill -9. Neither could restore the clock source.",
		Remedies: advise(d, "restore", "restore-best"),
		Links:    []string{clockSourceABI},
	}
}

// safeInShell matches names of clock sources. A document from elsewhere may have another
// text in their place, which must not become part of a command.
var safeInShell = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`) })

// safeParameter matches parameters of the kernel command line, for the same reason.
var safeParameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.,:=/-]*$`) })

func leftByExperiment(d *result.Document) (why, bool) {
	left := d.Host.UnrestoredClockSource
	if unrestored(d) == nil {
		return why{}, false
	}
	return why{
		cause:    fmt.Sprintf("An experiment of timebench selected %s, and was killed before it could restore %s.", clockSource(d), left.Original),
		remedies: []string{"restore", "restore-best"},
	}, true
}
