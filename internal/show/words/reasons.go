package words

import (
	"slices"
	"strings"
)

// Lost returns a sentence about the CPUs that went away during a run; nothing if there are
// none.
func Lost(cpus []int) []string {
	if len(cpus) == 0 {
		return nil
	}
	return []string{"Lost during the run: " + CPUs(cpus) + "."}
}

// Reasons groups clocks by the reason why a result is missing.
type Reasons struct {
	texts  []string
	clocks [][]string
}

// Add adds a clock with its reason; an empty reason adds nothing.
func (r *Reasons) Add(clock, reason string) {
	if reason == "" {
		return
	}
	i := slices.Index(r.texts, reason)
	if i < 0 {
		i, r.texts, r.clocks = len(r.texts), append(r.texts, reason), append(r.clocks, nil)
	}
	r.clocks[i] = append(r.clocks[i], clock)
}

// Lines returns a line for each reason, with its clocks.
func (r *Reasons) Lines() []string {
	var lines []string
	for i, text := range r.texts {
		lines = append(lines, strings.Join(r.clocks[i], ", ")+": "+text)
	}
	return lines
}
