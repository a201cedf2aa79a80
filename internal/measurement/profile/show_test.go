package profile

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// A program without a sampled read is shown if its interval has room for many reads.
func TestProgramsThatMayReadAreShown(t *testing.T) {
	none, some := 0.0, 0.1
	s := &Profile{Samples: 1, CPUs: 2, SeesKernel: true, Unseen: []string{"some system calls"}, ClockCPUs: 0.1,
		Processes: []Process{
			{Command: "reads", ClockShare: &some, ClockShareLow: 0.08, ClockShareHigh: 0.12, ClockCPUs: 0.1}, {Command: "does not", ClockShare: &none, CPUsUsed: 1,
				ClockShareHigh: 0.1},
			{Command: "may", CPUsUsed: 0.5, ClockShareHigh: 0.4}, {Command: "hardly runs", CPUsUsed: 0.001,
				ClockShareHigh: 1},
		}}
	var names []string
	for _, p := range s.readers() {
		names = append(names, p.Command)
	}
	require.Equal(t, []string{"reads", "may"}, names)
	block := s.Block(&result.Document{})
	require.Equal(t, "10 % of the CPU time of reads is reading clocks; in all programs at least 0.100 of 2 CPUs.",
		block.Verdict)
	require.Equal(t, []string{"Not seen: some system calls."}, block.Faults)
}

// Possible reads that were not seen are not in the sum.
func TestVerdict(t *testing.T) {
	known, unknown := 0.5, Process{Command: "unknown", ClockShareHigh: 1, CPUsUsed: 0.006}
	reads := Process{Command: "reads", ClockShare: &known, ClockShareHigh: 0.6, CPUsUsed: 1}
	few := Process{Command: "few", ClockShare: &known, ClockShareLow: 0.2, ClockShareHigh: 0.8, CPUsUsed: 1, ClockCPUs: 0.5}
	ranged := Process{Command: "ranged", ClockShareLow: 0.248, ClockShareHigh: 0.34, CPUsUsed: 1, ClockCPUs: 0.25}
	unseen := Process{Command: "unseen", ClockShareLow: 0.003, ClockShareHigh: 1, CPUsUsed: 1, ClockCPUs: 0.25}
	for want, s := range map[string]*Profile{
		"At least 0.3 % of the CPU time of unseen is reading clocks; in all programs at least 0.250 of 2 CPUs.": {Samples: 10, CPUs: 2, ClockCPUs: 0.25, Processes: []Process{unseen}},
		"Reading clocks takes 0.500 of 2 CPUs.":                                                                           {Samples: 10, CPUs: 2, ClockCPUs: 0.5, Processes: []Process{reads}},
		"Reading clocks takes at least 0.500 of 2 CPUs.":                                                                  {Samples: 10, CPUs: 2, ClockCPUs: 0.5, Processes: []Process{reads, unknown, unknown}},
		"No sample was taken in 2 s: the processes took little CPU time or none. A sample stands for 10 ms.":              {RateHz: 100, DurationNS: 2e9, SeesKernel: true},
		"24.8 – 34.0 % of the CPU time of ranged is reading clocks; in all programs at least 0.250 of 2 CPUs.":            {Samples: 10, CPUs: 2, ClockCPUs: 0.25, Processes: []Process{ranged}},
		"20.0 – 80.0 % of the CPU time of few is reading clocks; in all programs 0.500 of 2 CPUs.":                        {Samples: 6, CPUs: 2, ClockCPUs: 0.5, Processes: []Process{few}},
		"No process was seen to read a clock in 10 samples; ranged may (24.8 – 34.0 % of its time).":                      {Samples: 10, CPUs: 2, Processes: []Process{ranged}},
		"You may not profile what ran: that needs root (use sudo).":                                                       {DurationNS: 2e9, Unseen: []string{othersUnseen + "that needs root (use sudo)"}},
		"No sample was taken in 2 s: the processes took little CPU time in user mode or none. A sample stands for 10 ms.": {RateHz: 100, DurationNS: 2e9},
	} {
		require.Equal(t, want, s.verdict())
	}
}

// A cgroup is shown by the name of its unit or the short id of its container.
func TestUnit(t *testing.T) {
	for cgroup, want := range map[string]string{
		"": "", "/system.slice/postgresql.service": "postgresql.service",
		"/system.slice/docker-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope": "0123456789ab",
		"/kubepods/burstable/pod1/cri-containerd-short.scope":                                         "short",
	} {
		require.Equal(t, want, Unit(cgroup))
	}
}

// The callers add up to all reads; unknown callers are a row.
func TestCallersAreOfAllReads(t *testing.T) {
	caller := func(name string, samples int) Caller { return Caller{[]string{name}, samples} }
	several := []Caller{caller("a (libc)", 40), caller("b (libc)", 20), caller("c (libc)", 10), caller("d (libc)", 6),
		caller("e (libc)", 4)}
	g := callerGrid(&Profile{Unnamed: "it takes too long"}, []Process{
		{Command: "jit", PID: 1, Samples: 1000, UserShare: 0.2, SyscallShare: 0.6, ClockCPUs: 1,
			Callers: []Caller{caller("a (libc)", 200), caller("b (libc)", 30)}},
		{Command: "hidden", PID: 2, Samples: 100, UserShare: 0.5, ClockCPUs: 1},
		{Command: "known", PID: 3, Samples: 100, UserShare: 0.5, ClockCPUs: 1,
			Callers: []Caller{caller("a (libc)", 51)}},
		{Command: "reads none", PID: 4, Samples: 100},
		{Command: "many", PID: 5, Samples: 200, UserShare: 0.5, ClockCPUs: 1, Callers: several, OtherCallerSamples: 12},
	})
	require.Equal(t, [][]string{
		{"jit", "a (libc)", "1", "25.0"}, {"jit", "(not known)", "1", "71.2"}, {"hidden", "(not known)", "2", "100.0"},
		{"known", "a (libc)", "3", "100.0"},
		{"many", "a (libc)", "5", "40.0"}, {"many", "b (libc)", "5", "20.0"}, {"many", "c (libc)", "5", "10.0"},
		{"many", "(others)", "5", "22.0"}, {"many", "(not known)", "5", "8.0"},
	}, g.Rows)
	require.Equal(t, "Some functions have no name: it takes too long.", g.Note)
}

// Programs that read no clock are not compared: most of them run by chance.
func TestIdleProgramsAreNotCompared(t *testing.T) {
	program := func(name string, share float64) Process {
		return Process{Command: name, CPUsUsed: 1, ClockShare: &share, UserShare: share, ClockShareHigh: 0.9}
	}
	old := &Profile{Processes: []Process{program("both", 0.2), program("began", 0), program("idle", 0),
		program("old idle", 0), program("old", 0.1)}}
	new := &Profile{Processes: []Process{program("both", 0.2), program("began", 0.3), program("idle", 0),
		program("new idle", 0)}}
	c := changesOf(old, new).Value.(*Changes)
	var names []string
	for _, p := range c.Changes.Changes {
		names = append(names, p.Subject)
	}
	require.Equal(t, []string{"both", "began"}, names)
	require.Equal(t, []string{"old"}, c.OnlyOld)
	require.Empty(t, c.OnlyNew)
}

// readBack returns why a document with a profile is refused.
func readBack(t *testing.T, s *Profile) error {
	t.Helper()
	d := &result.Document{Schema: result.Schema}
	d.Put(s)
	var text bytes.Buffer
	if err := d.Write(&text); err != nil {
		return err
	}
	_, err := result.Loader{Kind.New}.Read(&text)
	return err
}

// A document with contradictory figures is refused.
func TestContradictions(t *testing.T) {
	share := 0.4
	read := func(change func(*Process)) error {
		p := Process{
			PID: 7, Command: "reads", Samples: 100, ClockShare: &share, ClockShareLow: 0.3, ClockShareHigh: 0.5,
			UserShare:      0.4,
			ReadsPerSecond: 1000,
		}
		change(&p)
		return readBack(t, &Profile{Scope: Machine, KernelEntry: result.Never, Processes: []Process{p}})
	}
	require.NoError(t, read(func(*Process) {}))
	require.NoError(t, read(func(p *Process) { p.ClockShare, p.ReadsPerSecond = nil, 0 }))
	const at = `profile.processes[0].`
	const together = at + "user_share and kernel_share and syscall_share together "
	for want, change := range map[string]func(*Process){
		at + "clock_share is 0.4; it must be in its interval, from 0.5 to 0.6": func(p *Process) {
			p.UserShare,
				p.ClockShareLow, p.ClockShareHigh = 0.55, 0.5, 0.6
		},
		together + "is 0.4; it must be in its interval, from 0.5 to 0.3": func(p *Process) {
			p.ClockShareLow,
				p.ClockShareHigh = 0.5, 0.3
		},
		together + "is 1; it must be in its interval, from 0.3 to 0.5": func(p *Process) {
			p.ClockShare,
				p.UserShare, p.KernelShare = nil, 0.9, 0.9
		},
	} {
		require.ErrorContains(t, read(change), want)
	}
}

// If thousands of processes ended, or have a library that stands in for the clock, the report has ten and the number of
// the others.
func TestReasonsOfManyProcesses(t *testing.T) {
	s := &Profile{Processes: []Process{{PID: 1, Command: "secret", Reason: "that needs root"},
		{PID: 2, Command: "fine"}}}
	for i := range 2010 {
		s.Processes = append(s.Processes, Process{PID: 100 + i, Command: fmt.Sprint("p", i), Reason: "it had ended",
			Preloaded: []string{"/lib/a.so (LD_PRELOAD)"}})
	}
	const ten = "p0 (pid 100), p1 (pid 101), p2 (pid 102), p3 (pid 103), p4 (pid 104), p5 (pid 105), p6 (pid 106), p7 (pid 107), p8 (pid 108), p9 (pid 109), 2,000 more: "
	require.Equal(t, []string{
		"secret (pid 1): that needs root", ten + "it had ended",
		ten + "/lib/a.so (LD_PRELOAD) is preloaded and stands in for the clock: reads cost what it makes of them",
	}, s.Block(&result.Document{}).Notes)
}
