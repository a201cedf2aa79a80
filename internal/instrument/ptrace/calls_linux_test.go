package ptrace

import (
	"testing"

	"github.com/stretchr/testify/require"
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
