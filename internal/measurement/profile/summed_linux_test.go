package profile

import (
	"fmt"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/perfevent"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/test/need"
)

// builds returns the profile of many processes with ten samples each. The samples of every other process are in reads.
func builds(number int, looks func(pid int) look, change func(*estimate), more ...perfevent.Record) Profile {
	seen, records := faked{}, more
	for pid := 100; pid < 100+number; pid++ {
		seen[pid] = looks(pid)
		at := uint64(inProgram)
		if pid%2 == 0 {
			at = inGettime
		}
		records = append(records, times(10, sample(pid, nil, at, inProgram))...)
	}
	return filled(talliedOf(seen, nil, records...), change)
}

// filled returns the profile of the counts of ten seconds.
func filled(t *tally, change func(*estimate)) Profile {
	s := Profile{DurationNS: 10e9, RateHz: 100, CPUs: 8, SeesKernel: true, KernelEntry: result.Never}
	e := estimate{profile: &s, costs: costsOf(fast)}
	if change != nil {
		change(&e)
	}
	e.fill(t)
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
	require.Equal(t, []string{"cc1", "build", "×300"}, grid.Rows[0][:3])
	require.Contains(t, grid.Note, "the sum of 300 processes")
}

// Each process has its vDSO at another address, but an instruction of it is a single site.
func TestSitesInTheVDSOAreSummed(t *testing.T) {
	of := func(processes int) Profile {
		seen, records := faked{}, []perfevent.Record(nil)
		for i := range uint64(60) {
			pid, moved := 100+int(i)%processes, (i%uint64(processes))*0x10000 //nolint:gosec // small
			seen[pid] = look{command: "cc1", vdso: addressRange{vdsoAt + moved, vdsoAt + moved + vdsoSize}}
			in := func(kernel uint64) perfevent.Record {
				return sample(pid, []uint64{kernel}, afterEntry+moved, inProgram)
			}
			// Every third process has no sample in the function of a system call.
			records = append(records, times(5, in([]uint64{gettime, write, entryCode}[i%3]))...)
			records = append(records, times(4, in(entryCode))...)
		}
		return filled(talliedOf(seen, nil, records...), func(e *estimate) { e.profile.KernelEntry = result.Always })
	}
	require.Len(t, of(60).Processes, 1)
	many, one := of(60).Processes[0], of(1).Processes[0]
	require.Equal(t, 60, many.ProcessCount)
	require.InDelta(t, 0.5, one.KernelShare, 1e-9)
	for name, of := range map[string]func(Process) float64{
		"kernel": func(p Process) float64 { return p.KernelShare },
		"low":    func(p Process) float64 { return p.ClockShareLow },
		"high":   func(p Process) float64 { return p.ClockShareHigh },
	} {
		require.InDelta(t, of(one), of(many), 1e-9, name)
	}
}

// A process that executes its program again and again is one process.
func TestProcessThatExecutesItselfIsOne(t *testing.T) {
	seen, records := faked{}, []perfevent.Record(nil)
	for i := range 12 {
		pid := 100 + i%6
		seen[pid] = compilers(pid)
		records = append(records, perfevent.Record{Kind: perfevent.Comm, PID: pid, Name: "cc1", Exec: true},
			perfevent.Record{Kind: perfevent.Map, PID: pid, Name: "[vdso]", Start: vdsoAt, Length: vdsoSize})
		records = append(records, times(10, sample(pid, nil, inGettime, inProgram))...)
	}
	counted := talliedOf(seen, nil, records...)
	require.Len(t, counted.programs, 12)
	s := filled(counted, nil)
	require.Len(t, s.Processes, 1)
	require.Equal(t, 6, s.Processes[0].ProcessCount)
	require.Equal(t, 120, s.Processes[0].Samples)
}

func TestProcessesThatStayApart(t *testing.T) {
	named := func(e *estimate) { e.named = []int{103} }
	containers := func(pid int) look { return look{command: "cc1", cgroup: fmt.Sprint("/build", pid%2)} }
	others := func(pid int) look { return look{command: fmt.Sprint("program", max(pid, 104))} }
	require.Len(t, builds(4, compilers, nil).Processes, 4, "few")
	require.Len(t, builds(5, compilers, nil).Processes, 1)
	require.Len(t, builds(10, compilers, named).Processes, 2)
	require.Len(t, builds(10, compilers, nil, times(90, sample(103, nil, inProgram))...).Processes, 2, "with enough samples")
	require.Len(t, builds(10, containers, nil).Processes, 2)
	require.Len(t, builds(10, others, nil).Processes, 6)
}

// Without samples of the kernel, the system time of all processes has to be known.
func TestSummedUsage(t *testing.T) {
	used := func(known int) Process {
		return builds(10, compilers, func(e *estimate) {
			e.profile.SeesKernel = false
			e.used = map[int]usage{}
			for pid := range known {
				e.used[100+pid] = usage{75e6, 25e6}
			}
		}).Processes[0]
	}
	p := used(10)
	require.Equal(t, 10, p.ProcessCount)
	require.InDelta(t, 0.375, p.UserShare, 1e-9)
	require.Less(t, p.ClockShareHigh, 0.8)
	require.InDelta(t, 1, used(9).ClockShareHigh, 1e-9)
}

// A shell that starts a program again and again, as a build does.
func TestShellLoopIsSummed(t *testing.T) {
	t.Parallel()
	allowed(t, Settings{Command: []string{"true"}})
	const number = 60
	out, err := exec.Command(need.Timebench(t), "profile", "--quiet", "--format", "json", "--", "sh", "-c",
		fmt.Sprintf("i=0; while [ $i -lt %d ]; do %s; i=$((i+1)); done", number, need.Compiled(t, "testdata/short.c", "-O2"))).Output()
	require.NoError(t, err)
	p := profileIn(t, out)
	require.Zero(t, p.StartedStatus)
	ofProgram := slices.DeleteFunc(p.Processes, func(of Process) bool { return of.Command != "short" })
	require.NotEmpty(t, ofProgram)
	require.Greater(t, ofProgram[0].ProcessCount, number/2)
	require.LessOrEqual(t, ofProgram[0].ProcessCount, number)
	require.NotNil(t, ofProgram[0].ClockShare)
	require.Positive(t, *ofProgram[0].ClockShare)
}
