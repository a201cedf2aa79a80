package cmd

import (
	"fmt"
	"slices"

	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/show/words"
)

// pinOrder returns the CPUs of --pin in the order in which threads are pinned to them.
func pinOrder(pin string) ([]int, error) {
	switch pin {
	case "none":
		return nil, nil
	case "compact":
		return thread.Compact(thread.Topology()), nil
	case "spread":
		return thread.Spread(thread.Topology()), nil
	}
	cpus, err := thread.ParseCPUs(pin)
	if err != nil {
		return nil, fmt.Errorf("--pin: %w; or write none, compact or spread", err)
	}
	return cpus, allowed("--pin", cpus)
}

// allowed returns an error if this process may not use one of the CPUs. It may use isolated CPUs (isolcpus=), to which
// the scheduler moves no thread. The kernel would pin a thread to any other CPU too, but taskset(1) excludes it on
// purpose.
func allowed(flag string, cpus []int) error {
	usable, isolated := thread.Usable(), thread.Isolated()
	for _, cpu := range cpus {
		isUsable := slices.Contains(usable, cpu) || slices.Contains(isolated, cpu) && thread.Pinnable([]int{cpu}) == nil
		if !isUsable {
			return fmt.Errorf("%s: CPU %d does not exist or is not allowed to this process; it may use %s", flag, cpu,
				words.CPUs(usable))
		}
	}
	return nil
}
