package kernellog

import "fmt"

// slowReadBack: the watchdog gave up because its own timer was slow to read.
func slowReadBack(l log) (Cause, bool) {
	found := l.of(readBackDelay)
	if len(found) == 0 {
		return Cause{}, false
	}
	e := found[0]
	took := "too long"
	if e.DelayNS > 0 {
		took = span(e.DelayNS)
	}
	if e.LimitNS > 0 {
		took += fmt.Sprintf(", where %s is the limit", span(e.LimitNS))
	}
	cause := Cause{Evidence: lines(found, l.marking())}
	cause.Text = fmt.Sprintf("The watchdog did not compare the clocks: reading its own timer took %s. The timer is slow to read here, as on machines with many CPUs under load, or in a virtual machine.", took)
	if checked := l.of(syncChecked); len(checked) > 0 && len(checked[0].CPUs) > 1 {
		cause.Evidence = append(cause.Evidence, lines(checked)...)
		cause.Text += fmt.Sprintf(" The kernel then compared the TSC of CPU %d with %d other CPUs and found none ahead or behind.", checked[0].CPUs[0], len(checked[0].CPUs)-1)
		doubts := l.doubts()
		if len(doubts) == 0 {
			cause.TSC = TSCRight
			return cause, true
		}
		cause.Evidence = append(cause.Evidence, doubts...)
		cause.Text += " But another check in this log failed or warned, so it is not known whether the TSC is right."
	}
	return cause, true
}

// doubts returns the lines that speak against the TSC: of firmware that wrote to it, of another rate, and of the watchdog
// that marked it by a comparison.
func (l log) doubts() []string {
	texts := lines(l.of(adjustDiffers, adjustForced, adjustWarp, rateDiffers))
	for _, c := range l.comparisons {
		if c.marked && c.both() != "" {
			texts = append(texts, c.text...)
		}
	}
	return texts
}
