package thread

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A CPU is a logical processor.
type CPU struct {
	ID      int // the number of the operating system
	Package int // the socket
	Core    int // the core, unique in its package; hyper-threads share it
}

// maxCPU is the highest CPU number that ParseCPUs accepts: far above any machine, but low enough
// that a typing error in a range is an error instead of a long wait.
const maxCPU = 1 << 16

// ParseCPUs parses a CPU list as in taskset(1) and cpuset(7): "0,2,4-7". It keeps the order, and
// rejects duplicates.
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

// Compact returns the CPU numbers in an order that keeps threads close: all hyper-threads of a
// core, then the next core, then the next package.
func Compact(cpus []CPU) []int {
	return ordered(cpus, func(a, b CPU) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Core, b.Core), cmp.Compare(a.ID, b.ID))
	})
}

// Spread returns the CPU numbers in an order that keeps threads far apart: one core of each
// package in turn, and the other hyper-threads only after all cores.
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

// flat returns the topology of CPUs if only their numbers are known: one package, one core each.
func flat(ids []int) []CPU {
	cpus := make([]CPU, len(ids))
	for i, id := range ids {
		cpus[i] = CPU{ID: id, Core: id}
	}
	return cpus
}
