package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Plural returns a count with its noun: 1 round, 2,000 rounds, 2 processes.
func Plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "dy"):
		return Thousands(int64(n)) + " " + strings.TrimSuffix(noun, "y") + "ies"
	case strings.HasSuffix(noun, "s"):
		return Thousands(int64(n)) + " " + noun + "es"
	default:
		return Thousands(int64(n)) + " " + noun + "s"
	}
}

// CPUs returns CPU numbers as text: CPUs 0 to 3 and 8. A long list is cut short.
func CPUs(numbers []int) string {
	switch len(slices.Compact(slices.Sorted(slices.Values(numbers)))) {
	case 0:
		return "no CPU"
	case 1:
		return "CPU " + Numbers(numbers)
	default:
		return "CPUs " + Numbers(numbers)
	}
}

// Numbers returns numbers as text: 0 to 3 and 8. A long list is cut short.
func Numbers(numbers []int) string {
	const most = 12
	sorted := slices.Compact(slices.Sorted(slices.Values(numbers)))
	var runs []string
	for i := 0; i < len(sorted); {
		end := i
		for end+1 < len(sorted) && sorted[end+1] == sorted[end]+1 {
			end++
		}
		if end == i+1 {
			end = i // "0 and 1"
		}
		if len(runs) == most {
			runs = append(runs, fmt.Sprintf("%d more", len(sorted)-i))
			break
		}
		run := strconv.Itoa(sorted[i])
		if end > i {
			run += " to " + strconv.Itoa(sorted[end])
		}
		runs, i = append(runs, run), end+1
	}
	return List(runs)
}

// List returns texts joined as in a sentence: a, b and c.
func List(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:len(texts)-1], ", ") + " and " + texts[len(texts)-1]
}

// Present returns the texts that are not empty.
func Present(texts ...string) []string {
	var some []string
	for _, text := range texts {
		if text != "" {
			some = append(some, text)
		}
	}
	return some
}

// Part returns the text of a part that may be absent; "" without it.
func Part[T any](of *T, text func(*T) string) string {
	if of == nil {
		return ""
	}
	return text(of)
}

// Sentence returns a text with a full stop at its end.
func Sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// Are returns the verb after a count, with a space before it: " is", " are".
func Are(n int) string {
	return Either(n == 1, " is", " are")
}

// Between returns a range as text, or "of" and one figure if both ends look the same.
func Between(lowNS, highNS float64) string {
	low, high := SignedDuration(lowNS), SignedDuration(highNS)
	if low == high {
		return "of " + low
	}
	return "from " + low + " to " + high
}

// Insensitive returns from which size on a comparison of CPUs shows a difference, if that is more than a few
// microseconds; otherwise "".
func Insensitive(smallestNS float64) string {
	const few = 2000
	if smallestNS <= few {
		return ""
	}
	return "only differences from " + Duration(smallestNS) + " on would have been seen"
}

// Lost returns a sentence about the CPUs that went away during a run; nil without such CPUs.
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

// After returns a sentence of a text and the first reason.
func (r *Reasons) After(text string) string {
	lines := r.Lines()
	return Sentence(strings.Join(append([]string{text}, lines[:min(1, len(lines))]...), "; "))
}
