package profile

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

const (
	// enoughSamples is the number of samples from which a process is an entry of its own: its share is then known to
	// about a tenth. A build has hundreds of processes with a few samples each.
	enoughSamples = 100
	// leastSummed is the min number of processes of a program that are summed. Fewer are entries of their own.
	leastSummed = 5
)

// summed joins processes of the same program that have few samples each, and returns all programs. Processes that the
// user named stay apart.
func (e estimate) summed(programs []*target) []*target {
	type identity struct{ command, cgroup, reason, preloaded string }
	identityOf := func(p *target) identity {
		return identity{p.command, p.cgroup, p.reason, strings.Join(p.preloaded, "\n")}
	}
	apart := func(p *target) bool {
		return p.samples >= enoughSamples || slices.Contains(e.named, p.pid)
	}
	groups := map[identity][]*target{}
	for _, p := range programs {
		if !apart(p) {
			groups[identityOf(p)] = append(groups[identityOf(p)], p)
		}
	}
	var all []*target
	for _, p := range programs {
		group := groups[identityOf(p)]
		switch {
		case apart(p) || len(group) < leastSummed:
			all = append(all, p)
		case p == group[0]:
			all = append(all, sumOf(group))
		}
	}
	return all
}

// sumOf returns the programs as one. Its process is the first with most samples.
func sumOf(programs []*target) *target {
	first := slices.MaxFunc(programs, func(a, b *target) int { return a.samples - b.samples })
	sum := &target{
		pid: first.pid, command: first.command, cgroup: first.cgroup, reason: first.reason, preloaded: first.preloaded,
		counts: newCounts(),
	}
	for _, p := range programs {
		sum.pids = append(sum.pids, p.pid)
		sum.join(p)
	}
	slices.Sort(sum.pids)
	sum.pids = slices.Compact(sum.pids) // a process may execute the same program again
	return sum
}

// join adds the samples of another program. It assumes that two processes have the same function at the same address.
func (p *target) join(other *target) {
	p.samples += other.samples
	p.user, p.hidden = p.user+other.user, p.hidden+other.hidden
	p.otherStacks += other.otherStacks
	for clock, samples := range other.clocks {
		p.clocks[clock] += samples
	}
	for address, of := range other.sites {
		at := entry(p.sites, address)
		at.clock, at.other, at.unknown = at.clock+of.clock, at.other+of.other, at.unknown+of.unknown
	}
	for tid, of := range other.threads {
		to := entry(p.threads, tid)
		to.samples, to.reads = to.samples+of.samples, to.reads+of.reads
	}
	for s, of := range other.stacks {
		p.stacks[s] += of
	}
	for address, frame := range other.names {
		p.names[address] = cmp.Or(p.names[address], frame)
	}
	maps.Copy(p.threadNames, other.threadNames)
}

// entry returns the entry of a key, and creates it if it is missing.
func entry[K comparable, V any](entries map[K]*V, key K) *V {
	if entries[key] == nil {
		entries[key] = new(V)
	}
	return entries[key]
}
