//go:build lab && linux

package lab

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/profile"
)

// profileScript profiles a program that reads a clock most of its time, as root.
const profileScript = `
run profile timebench profile --rate 997 --format json -- reader vdso 90 1 2
`

// checkProfile checks that the program's reads are where the clock source of this world has them: in user mode, in the
// kernel below the vDSO, or in system calls.
func (w world) checkProfile(t *testing.T, said outputs) {
	p := profile.Of(document(t, said.ok(t, "profile")))
	require.NotNil(t, p)
	require.True(t, p.SeesKernel)
	require.Empty(t, p.Unseen)
	require.Zero(t, p.LostSamples)
	reader := first(t, p.Processes, func(p profile.Process) bool { return p.Command == "reader" })
	require.Empty(t, reader.Reason)
	require.NotNil(t, reader.ClockShare)
	t.Logf(
		"of its CPU time %.2f in clock calls: "+
			"%.2f in user mode, %.2f in the kernel below the vDSO, %.2f in system calls; it said: %s",
		*reader.ClockShare, reader.UserShare, reader.KernelShare, reader.SyscallShare, said["profile"].stderr)
	t.Logf("a read takes %.1f ns, and %.1f in user mode", p.ReadNS, p.UserModeNS)
	// The program also reads its CPU time, by system calls whose cost was not measured. If they take more than 5 % of
	// the time of its reads, as an emulator may have it, the number of reads is unknown.
	const otherClocks = 0.05
	if w.vdso != result.Never || reader.SyscallShare <= otherClocks**reader.ClockShare {
		require.Positive(t, reader.ReadsPerSecond)
	}
	// The place of the reads is exact. Their share of the time depends on the emulator, which runs the arithmetic
	// between the reads fast and a read of the counter slowly, or the other way about. The program reads its CPU time
	// by system calls.
	const some, few = 0.02, 0.1
	switch w.vdso {
	case result.Always:
		require.Greater(t, reader.KernelShare, some)
		require.Greater(t, reader.KernelShare, reader.UserShare)
		require.Less(t, reader.SyscallShare, few)
		require.Less(t, p.UserModeNS, p.ReadNS)
		require.Less(t, p.ClockCPUsUserMode, p.ClockCPUs)
		require.Positive(t, p.ClockCPUsUserMode)
	case result.Never:
		require.Greater(t, reader.UserShare, some)
		require.Greater(t, reader.UserShare, reader.KernelShare+reader.SyscallShare)
		require.Less(t, reader.KernelShare, few)
		require.Less(t, reader.SyscallShare, few)
		require.Zero(t, p.ClockCPUsUserMode)
	default:
		require.Greater(t, reader.SyscallShare, some)
		require.Zero(t, reader.UserShare+reader.KernelShare)
	}
}
