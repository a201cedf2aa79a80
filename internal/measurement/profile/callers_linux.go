package profile

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/instrument/symbols"
)

// shownFrames is the maximum number of functions of a caller in a document.
const shownFrames = 4

// leftOut stands for functions of a caller that are not shown.
const leftOut = "…"

// callersOf returns the callers with most samples, and the number of samples of the others. Callers with the same names
// are one.
func callersOf(p *target) (some []Caller, others int) {
	samples := p.callersByName()
	for _, names := range slices.Sorted(maps.Keys(samples)) {
		if names != "" && samples[names] > 0 {
			some = append(some, Caller{strings.Split(names, "\n"), samples[names]})
		}
	}
	slices.SortStableFunc(some, func(a, b Caller) int { return cmp.Compare(b.Samples, a.Samples) })
	others = p.otherStacks
	for len(some) > most {
		others += some[len(some)-1].Samples
		some = some[:len(some)-1]
	}
	return some, others
}

// callersByName returns the samples of reads by the names of the caller, a line for each function; without names "".
func (p *target) callersByName() map[string]int {
	samples := maps.Clone(p.callers)
	if samples == nil {
		samples = map[string]int{}
	}
	for s, n := range p.stacks {
		samples[strings.Join(described(p.namesOf(s)), "\n")] += n
	}
	return samples
}

// namesOf returns the names of the functions of a stack, up to the first unknown name.
func (p *target) namesOf(s stack) (names []string) {
	for _, address := range s {
		frame := p.names[address]
		if frame == (symbols.Frame{}) {
			break
		}
		names = append(names, cmp.Or(frame.Function, "?")+" ("+frame.Module+")")
	}
	return names
}

// described returns the functions that describe a caller: the innermost four. If all four belong to a runtime, it
// returns two of them, leftOut, and the innermost function that the just-in-time compiler of the runtime made.
func described(names []string) []string {
	if len(names) <= shownFrames {
		return names
	}
	compiled := slices.IndexFunc(names, func(name string) bool { return strings.HasSuffix(name, " ("+symbols.JIT+")") })
	if compiled < shownFrames {
		return names[:shownFrames]
	}
	shown := slices.Clone(names[:shownFrames-2])
	return append(shown, leftOut, names[compiled])
}
