package profile

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/result"
)

// A program of which no read was seen is shown if its interval has room for many.
func TestProgramsThatMayReadAreShown(t *testing.T) {
	none, some := 0.0, 0.1
	s := &Profile{Samples: 1, CPUs: 2, SeesKernel: true, Unseen: []string{"some system calls"}, ClockCPUs: 0.1, Processes: []Process{
		{Command: "reads", ClockShare: &some, ClockCPUs: 0.1}, {Command: "does not", ClockShare: &none, CPUsUsed: 1, ClockShareHigh: 0.1},
		{Command: "may", CPUsUsed: 0.5, ClockShareHigh: 0.4}, {Command: "hardly runs", CPUsUsed: 0.001, ClockShareHigh: 1},
	}}
	var names []string
	for _, p := range s.readers() {
		names = append(names, p.Command)
	}
	require.Equal(t, []string{"reads", "may"}, names)
	block := s.Block(&result.Document{})
	require.Equal(t, "Reading clocks takes at least 0.100 of 2 CPUs.", block.Verdict)
	require.Equal(t, []string{"Not seen: some system calls."}, block.Faults)
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

func TestShortFunction(t *testing.T) {
	for name, want := range map[string]string{
		"github.com/a/b/clock.(*Reader).Read.abi0 (server)": "clock.(*Reader).Read (server)",
		"os::javaTimeMillis() (libjvm.so)":                  "os::javaTimeMillis() (libjvm.so)",
		"? (libc.so.6)":                                     "? (libc.so.6)",
	} {
		require.Equal(t, want, shortFunction(name))
	}
}

// The callers are of all reads, and what is not known of them is a row.
func TestCallersAreOfAllReads(t *testing.T) {
	caller := func(name string, samples int) Caller { return Caller{[]string{name}, samples} }
	g := callerGrid([]Process{
		{Command: "jit", PID: 1, Samples: 1000, UserShare: 0.2, SyscallShare: 0.6, ClockCPUs: 1, Callers: []Caller{caller("a (libc)", 200), caller("b (libc)", 30)}},
		{Command: "hidden", PID: 2, Samples: 100, UserShare: 0.5, ClockCPUs: 1},
		{Command: "known", PID: 3, Samples: 100, UserShare: 0.5, ClockCPUs: 1, Callers: []Caller{caller("a (libc)", 51)}},
		{Command: "reads none", PID: 4, Samples: 100},
	})
	require.Equal(t, [][]string{
		{"jit", "a (libc)", "1", "25.0"}, {"jit", "(not known)", "1", "71.2"}, {"hidden", "(not known)", "2", "100.0"}, {"known", "a (libc)", "3", "100.0"},
	}, g.Rows)
}
