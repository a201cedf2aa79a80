package profile

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/perfevent"
	"github.com/timebench/timebench/internal/instrument/stats"
)

// builds returns the profile of many processes with ten samples each. The samples of every other process are in reads.
func builds(number int, looks func(pid int) look, named []int, more ...perfevent.Record) Profile {
	seen, records := faked{}, more
	for pid := 100; pid < 100+number; pid++ {
		seen[pid] = looks(pid)
		at := uint64(inProgram)
		if pid%2 == 0 {
			at = inGettime
		}
		records = append(records, times(10, sample(pid, nil, at, inProgram))...)
	}
	tally := talliedOf(seen, nil, records...)
	tally.named = named
	return filled(tally)
}

// filled returns the profile of the counts of ten seconds.
func filled(t *tally) Profile {
	s := Profile{DurationNS: 10e9, RateHz: 100, CPUs: 8, SeesKernel: true, KernelEntry: result.Never}
	estimate{profile: &s, costs: costsOf(fast)}.fill(t)
	return s
}

func compilers(int) look {
	return look{command: "cc1", cgroup: "/build", vdso: addressRange{vdsoAt, vdsoAt + vdsoSize}}
}

// Many processes of a program with few samples each are an entry, as if they were a single process.
func TestShortProcessesAreSummed(t *testing.T) {
	s := builds(300, compilers, nil)
	require.Len(t, s.Processes, 1)
	p := s.Processes[0]
	require.Equal(t, 300, p.ProcessCount)
	require.Equal(t, 100, p.PID)
	require.Equal(t, 3000, p.Samples)
	require.InDelta(t, 0.5, *p.ClockShare, 1e-9)
	low, high := stats.Wilson(1500, 3000, stats.Confidence)
	require.InDelta(t, low, p.ClockShareLow, 1e-9)
	require.InDelta(t, high, p.ClockShareHigh, 1e-9)
	require.InDelta(t, 3, p.CPUsUsed, 1e-9)
	require.InDelta(t, 1.5, s.ClockCPUs, 1e-9)
	require.Equal(t, 3000, s.Samples)
	require.InEpsilon(t, 1.5e9/20, p.ReadsPerSecond, 1e-9)
	require.Len(t, p.Threads, most)
	require.Equal(t, "cc1 (300 processes)", p.label())
	grid := s.Block(&result.Document{}).Grids[0]
	require.Subset(t, grid.Rows[0], []string{"cc1", "build", "×300"})
	require.Contains(t, grid.Note, "the sum of 300 processes")
}

func TestProcessesThatStayApart(t *testing.T) {
	named := []int{103}
	containers := func(pid int) look { return look{command: "cc1", cgroup: fmt.Sprint("/build", pid%2)} }
	others := func(pid int) look { return look{command: fmt.Sprint("program", max(pid, 104))} }
	require.Len(t, builds(4, compilers, nil).Processes, 4, "few")
	require.Len(t, builds(5, compilers, nil).Processes, 1)
	require.Len(t, builds(10, compilers, named).Processes, 2)
	require.Len(t, builds(10, compilers, nil, times(90, sample(103, nil, inProgram))...).Processes, 2,
		"with enough samples")
	require.Len(t, builds(10, containers, nil).Processes, 2)
	require.Len(t, builds(10, others, nil).Processes, 6)
}
