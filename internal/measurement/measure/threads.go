package measure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MostThreads is the max number of threads that can be measured.
const MostThreads = 1024

// ParseThreads parses numbers of threads: "1,2,4", "1..24", or "1..24/4" for every fourth
// from 1 on. The result is in ascending order, each number once.
func ParseThreads(list string) ([]int, error) {
	var all []int
	for _, part := range strings.Split(list, ",") {
		numbers, err := parseRange(part)
		if err != nil {
			return nil, err
		}
		all = append(all, numbers...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func parseRange(part string) ([]int, error) {
	text, stepText, stepped := strings.Cut(part, "/")
	firstText, lastText, isRange := strings.Cut(text, "..")
	malformed := fmt.Errorf("%q is not a number of threads; write 4, 1,2,4, 1..24 or 1..24/4", part)
	first, err := strconv.Atoi(firstText)
	if err != nil || stepped && !isRange {
		return nil, malformed
	}
	last, step := first, 1
	if isRange {
		if last, err = strconv.Atoi(lastText); err != nil {
			return nil, malformed
		}
	}
	if stepped {
		if step, err = strconv.Atoi(stepText); err != nil || step < 1 || step > MostThreads {
			return nil, malformed
		}
	}
	switch {
	case first < 1:
		return nil, fmt.Errorf("%q has %d threads; the fewest is 1", part, first)
	case last < first:
		return nil, fmt.Errorf("%q runs backwards; write %d..%d", part, last, first)
	case last > MostThreads:
		return nil, fmt.Errorf("%q has %d threads; the most is %d", part, last, MostThreads)
	}
	var numbers []int
	for n := first; n <= last; n += step {
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// DefaultThreads returns the powers of two up to the number of CPUs, and that number itself.
func DefaultThreads(cpus int) []int {
	cpus = min(cpus, MostThreads)
	var numbers []int
	for n := 1; n < cpus; n *= 2 {
		numbers = append(numbers, n)
	}
	return append(numbers, cpus)
}
