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
