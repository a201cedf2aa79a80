package kernellog

import "slices"

// reasons are the rules for why a clock is wrong or not in use. The first that finds a cause excludes the others:
// measurements come before inferences, and a pair of figures with one explanation before a pair with several.
var reasons = slices.Concat(measuredRules, comparedRules, presumedRules)

// otherRules find the causes beside the reason.
var otherRules = slices.Concat(alsoRules, timeRules)

// Causes are the kinds of causes, in the order of their rules, without the always harmless ones.
func Causes() []string {
	var kinds []string
	for _, r := range slices.Concat(reasons, otherRules) {
		if !r.harmless && !slices.Contains(kinds, r.kind) { // a kind may have several rules
			kinds = append(kinds, r.kind)
		}
	}
	return kinds
}

// Explain returns the causes that the events show: the reason why a clock is wrong or not in use, if there is one, and
// then the others. Facts of the machine that m lacks are taken from the log.
func Explain(events []Event, m Machine) []Cause {
	l := log{events: events, machine: m.with(MachineOf(events))}
	l.rates = rates(events, l.machine)
	l.comparisons = comparisons(events, l.machine, l.rates)
	var causes []Cause
	for i, r := range slices.Concat(reasons, otherRules) {
		if i < len(reasons) && len(causes) > 0 {
			continue
		}
		if cause, ok := r.on(l); ok {
			causes = append(causes, cause)
		}
	}
	return causes
}
