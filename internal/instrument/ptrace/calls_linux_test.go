package ptrace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClockNames(t *testing.T) {
	cpu := func(number, kind int32) int32 { return ^number<<3 | kind }
	const virtual, scheduled, file, perThread = 1, 2, 3, 4
	for id, name := range map[int32]string{
		0: "CLOCK_REALTIME", 11: "CLOCK_TAI", 10: "clock 10", 1000: "clock 1000", cpu(5, file): "device clock",
		2: "CLOCK_PROCESS_CPUTIME_ID", cpu(0, scheduled): "CLOCK_PROCESS_CPUTIME_ID",
		-1 << 31: "CLOCK_PROCESS_CPUTIME_ID",
		3:        "CLOCK_THREAD_CPUTIME_ID", cpu(1<<28-1, virtual|perThread): "CLOCK_THREAD_CPUTIME_ID",
	} {
		require.Equal(t, name, clockName(id), "%d", id)
	}
}
