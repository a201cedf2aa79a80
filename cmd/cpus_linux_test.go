package cmd

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/thread"
	faults "github.com/timebench/timebench/test/planted"
)

// The process may use a CPU that the scheduler does not give it, and none that does not exist.
func TestCPUOutsideOfTheAffinity(t *testing.T) {
	cpus := faults.TwoCPUs(t)
	var usable []int
	var asked, none error
	// The affinity of this thread is the first CPU alone, as under taskset(1).
	require.NoError(t, thread.Run(cpus[0], func() {
		usable, asked, none = thread.Usable(), allowed("--pin", cpus), allowed("--pin", []int{cpus[1], 65535})
	}))
	require.Equal(t, cpus[:1], usable)
	require.NoError(t, asked)
	require.ErrorContains(t, none, "CPU 65535 does not exist")
}
