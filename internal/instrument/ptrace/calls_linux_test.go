package ptrace

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestClockNames(t *testing.T) {
	self := func() (int32, int32) { return 71, 70 }
	cpu := func(number, kind int32) int32 { return ^number<<3 | kind }
	const virtual, scheduled, file, perThread = 1, 2, 3, 4
	for id, name := range map[int32]string{
		0:                               "CLOCK_REALTIME",
		2:                               processCPU,
		3:                               threadCPU,
		11:                              "CLOCK_TAI",
		10:                              "clock 10",
		1000:                            "clock 1000",
		cpu(0, scheduled):               processCPU,
		cpu(70, scheduled):              processCPU,
		cpu(70, virtual):                processCPU,
		cpu(71, scheduled):              "CPU time of another process",
		cpu(0, scheduled|perThread):     threadCPU,
		cpu(71, scheduled|perThread):    threadCPU,
		cpu(70, scheduled|perThread):    "CPU time of another thread",
		cpu(5, file):                    "device clock",
		-1 << 31:                        "CPU time of another process",
		cpu(1<<28-1, virtual|perThread): "CPU time of another thread",
	} {
		require.Equal(t, name, clockName(id, self), "%d", id)
	}
}

// The upper half of the register of the id is not part of it.
func TestReadOf(t *testing.T) {
	self := func() (int32, int32) { return 1, 1 }
	call := &syscallInfo{nr: unix.SYS_CLOCK_GETTIME, args: [6]uint64{0xdead_beef_0000_0001}}
	require.Equal(t, "CLOCK_MONOTONIC", readOf(call, self))
	require.Empty(t, readOf(&syscallInfo{nr: unix.SYS_CLOCK_GETRES}, self))
	require.Empty(t, readOf(&syscallInfo{nr: unix.SYS_GETTIMEOFDAY}, self))
	require.Equal(t, "gettimeofday", readOf(&syscallInfo{nr: unix.SYS_GETTIMEOFDAY, args: [6]uint64{8}}, self))
}

func TestSpans(t *testing.T) {
	var s spans
	a := s.open(nil, "a")
	b := s.open(nil, "b") // another thread
	s.add(a, "one")
	s.add(b, "two")
	s.add(a, "three")
	a = s.open(a, "end")
	s.add(a, "four")
	require.Equal(t, []Span{{Mark: "a", Reads: []string{"one", "three"}}}, s.marked())
	s.open(b, "end")
	require.Equal(t, []Span{{Mark: "a", Reads: []string{"one", "three"}}, {Mark: "b", Reads: []string{"two"}}}, s.marked())
}

// A thread that was killed in the meantime is not a fault. The first fault is kept.
func TestBlame(t *testing.T) {
	var tr tracer
	tr.blame(nil)
	tr.blame(fmt.Errorf("PTRACE_CONT: %w", unix.ESRCH))
	require.NoError(t, tr.fault)
	tr.blame(unix.EIO)
	tr.blame(unix.EPERM)
	require.Equal(t, error(unix.EIO), tr.fault)
}
