package thread

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A CPU is one logical processor: what the scheduler runs a thread on.
type CPU struct {
	ID      int // the operating system's number
	Package int // the socket
	Core    int // the core within its package; hyper-threads share it
}

// maxCPU is the highest CPU number that ParseCPUs takes: far above any machine,
// and low enough that a mistyped range is an error rather than a long wait.
const maxCPU = 1 << 16

// ParseCPUs reads a CPU list as taskset(1) and cpuset(7) write it: "0,2,4-7".
// It keeps the order given and refuses a CPU that is named twice.
func ParseCPUs(list string) ([]int, error) {
	var cpus []int
	named := map[int]bool{}
	for _, part := range strings.Split(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, err := strconv.Atoi(first)
		to := from
		if err == nil && isRange {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 0 || to < from || to > maxCPU {
			return nil, fmt.Errorf("%q is not a CPU or a range of CPUs such as 4-7", part)
		}
		for cpu := from; cpu <= to; cpu++ {
			if named[cpu] {
				return nil, fmt.Errorf("CPU %d is named twice in %q", cpu, list)
			}
			named[cpu] = true
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// Compact returns the CPUs' numbers in the order that keeps threads closest:
// all hyper-threads of a core, then the next core, then the next package.
func Compact(cpus []CPU) []int {
	return ordered(cpus, func(a, b CPU) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Core, b.Core), cmp.Compare(a.ID, b.ID))
	})
}

// Spread returns the CPUs' numbers in the order that keeps threads farthest
// apart: one core of each package in turn until every core has one thread, and
// only then the cores' other hyper-threads.
func Spread(cpus []CPU) []int {
	type place struct{ sibling, turn int }
	places := make(map[int]place, len(cpus))
	siblings := map[[2]int]int{} // hyper-threads placed, by package and core
	turns := map[[2]int]int{}    // cores placed, by package and hyper-thread
	for _, id := range Compact(cpus) {
		cpu := cpus[slices.IndexFunc(cpus, func(c CPU) bool { return c.ID == id })]
		core := [2]int{cpu.Package, cpu.Core}
		sibling := siblings[core]
		siblings[core]++
		row := [2]int{cpu.Package, sibling}
		places[id] = place{sibling, turns[row]}
		turns[row]++
	}
	return ordered(cpus, func(a, b CPU) int {
		return cmp.Or(
			cmp.Compare(places[a.ID].sibling, places[b.ID].sibling),
			cmp.Compare(places[a.ID].turn, places[b.ID].turn),
			cmp.Compare(a.Package, b.Package),
			cmp.Compare(a.ID, b.ID))
	})
}

func ordered(cpus []CPU, compare func(a, b CPU) int) []int {
	sorted := slices.SortedFunc(slices.Values(cpus), compare)
	ids := make([]int, len(sorted))
	for i, cpu := range sorted {
		ids[i] = cpu.ID
	}
	return ids
}

// flat is the topology of CPUs about which nothing more is known: one package,
// a core each.
func flat(ids []int) []CPU {
	cpus := make([]CPU, len(ids))
	for i, id := range ids {
		cpus[i] = CPU{ID: id, Core: id}
	}
	return cpus
}
