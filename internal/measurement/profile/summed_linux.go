package profile

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// enoughSamples is the number of samples from which a process is an entry of its own: its share is then known to
	// about a tenth. A build has hundreds of processes with a few samples each.
	enoughSamples = 100
	// leastSummed is the min number of processes of a program that are summed. Fewer are entries of their own.
	leastSummed = 5
	// mostPrograms is the number of programs from which those that ended are summed during the profile, which may take a
	// month. At most half of this number remain apart.
	mostPrograms = 2000
)

// bound bounds the memory of programs that ended.
func (t *tally) bound() {
	if len(t.programs) < max(mostPrograms, t.crowd) {
		return
	}
	past := func(p *target) bool { return p.ended && !slices.Contains(t.named, p.pid) }
	for _, p := range t.programs {
		if t.living[p.pid] == p && p.ended {
			delete(t.living, p.pid)
		}
	}
	t.programs = t.summed(past)
	ended := slices.DeleteFunc(slices.Clone(t.programs), func(p *target) bool { return !past(p) })
	if len(ended) > mostPrograms/2 {
		// A library that stands in for the clock is named with its program.
		slices.SortStableFunc(ended, func(a, b *target) int {
			return cmp.Or(min(len(b.preloaded), 1)-min(len(a.preloaded), 1), b.samples-a.samples)
		})
		for _, p := range ended[mostPrograms/2:] {
			p.command, p.cgroup, p.preloaded, p.summed = "others", "", nil, max(p.summed, 1)
			if p.reason != "" { // a share that is known stays known
				p.reason = "their memory maps could not be read"
			}
		}
		t.programs = t.summed(past)
	}
	t.crowd = 2 * len(t.programs)
}

// summed joins processes of the same program that have few samples each, of those that may be joined, and returns all
// programs. Processes that the user named stay apart.
func (t *tally) summed(may func(*target) bool) (all []*target) {
	type identity struct{ command, cgroup, reason, preloaded string }
	identityOf := func(p *target) identity {
		return identity{p.command, p.cgroup, p.reason, strings.Join(p.preloaded, "\n")}
	}
	apart := func(p *target) bool {
		return !may(p) || p.summed == 0 && p.samples >= enoughSamples || slices.Contains(t.named, p.pid)
	}
	groups, processes := map[identity][]*target{}, map[identity]int{}
	for _, p := range t.programs {
		if of := identityOf(p); !apart(p) {
			groups[of], processes[of] = append(groups[of], p), processes[of]+max(p.summed, 1)
		}
	}
	for _, p := range t.programs {
		of := identityOf(p)
		switch {
		case apart(p) || processes[of] < leastSummed:
			all = append(all, p)
		case p == groups[of][0]:
			all = append(all, sumOf(groups[of]))
		}
	}
	return all
}

// sumOf returns the programs as one. Its process is the first with most samples.
func sumOf(programs []*target) *target {
	first := slices.MaxFunc(programs, func(a, b *target) int { return a.samples - b.samples })
	sum := &target{
		pid: first.pid, command: first.command, cgroup: first.cgroup, preloaded: first.preloaded, ended: true,
		counts: newCounts(), callers: map[string]int{},
	}
	counted := map[int]bool{}
	for _, p := range programs {
		sum.summed += p.summed
		if p.summed == 0 && !counted[p.pid] { // a process may execute the same program again
			counted[p.pid] = true
			sum.summed++
		}
		sum.join(p)
	}
	return sum
}

// join adds the samples of another program. It assumes that two processes have the same function at the same address.
func (p *target) join(other *target) {
	p.reason = cmp.Or(p.reason, other.reason)
	p.samples += other.samples
	p.user, p.hidden = p.user+other.user, p.hidden+other.hidden
	if _, known := other.used.system(); !known {
		p.unaccounted = true
	}
	p.unaccounted = p.unaccounted || other.unaccounted
	p.used = usage{p.used.userNS + other.used.userNS, p.used.systemNS + other.used.systemNS}
	for clock, samples := range other.clocks {
		p.clocks[clock] += samples
	}
	for address, of := range other.sites {
		if at := p.site(address, of.clock > 0); at != nil {
			at.clock, at.other, at.unknown = at.clock+of.clock, at.other+of.other, at.unknown+of.unknown
		}
	}
	p.readers = readingThreads(&target{readers: append(p.readers, readingThreads(other)...)})
	for caller, samples := range other.callersByName() {
		if p.callers[caller] == 0 && len(p.callers) >= maxStacks {
			p.otherStacks += samples
			continue
		}
		p.callers[caller] += samples
	}
	p.otherStacks += other.otherStacks
}

// entry returns the entry of a key, and creates it if it is missing.
func entry[K comparable, V any](entries map[K]*V, key K) *V {
	if entries[key] == nil {
		entries[key] = new(V)
	}
	return entries[key]
}
