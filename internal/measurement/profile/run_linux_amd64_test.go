package profile

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"github.com/timebench/timebench/test/readers"
)

// A 32-bit program has another vDSO, whose functions are not known; its samples count as reads. About half of its time
// is in the vDSO or in the kernel, none if these are not found.
func Test32BitProgram(t *testing.T) {
	need.Minutes(t) // it compiles the standard library for 386
	t.Parallel()
	allowed(t, Settings{PIDs: []int{os.Getpid()}})
	program := readers.Build(t, "go-386")
	reads, other := program.Start(t, readers.Options{Read: "vdso", Percent: 100, Seconds: 1000}), program.Start(t,
		readers.Options{Read: "none", Seconds: 1000})
	calls := program.Start(t, readers.Options{Read: "syscall", Percent: 100, Seconds: 1000})
	for _, r := range []*readers.Running{reads, other, calls} {
		r.Go()
	}
	p := profiled(t, Settings{Time: 2 * time.Second, PIDs: []int{reads.PID(), other.PID(), calls.PID()}})
	t.Logf("%+v", p)
	require.Greater(t, only(t, p, reads.PID()).UserShare, 0.2)
	require.Less(t, only(t, p, other.PID()).ClockShareLow, 0.01) // the Go runtime reads it now and then
	require.Greater(t, only(t, p, calls.PID()).SyscallShare, 0.2)
}
