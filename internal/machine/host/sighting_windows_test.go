package host

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/windows"
)

// A process that was started on one of several CPUs may use only that, and does not take the time of all CPUs for the
// time of its own.
func TestSightingOfAConfinedProcess(t *testing.T) {
	const confined = "TIMEBENCH_TEST_CONFINED"
	if os.Getenv(confined) != "" {
		require.Equal(t, os.Getenv(confined), fmt.Sprint(thread.Usable()))
		require.Empty(t, See().CPUs)
		return
	}
	all := thread.Usable()
	if len(all) < 2 {
		need.Missing(t, "cpus", "one CPU only")
	}
	mask := uintptr(0)
	for _, cpu := range all {
		mask |= 1 << cpu
	}
	set := kernel32.NewProc("SetProcessAffinityMask")
	ok, _, err := set.Call(uintptr(windows.CurrentProcess()), 1<<all[1]) // which the child inherits
	require.NotZero(t, ok, err)
	defer func() { _, _, _ = set.Call(uintptr(windows.CurrentProcess()), mask) }()
	child := exec.Command(os.Args[0], "-test.run", "^TestSightingOfAConfinedProcess$")
	child.Env = append(os.Environ(), confined+"="+fmt.Sprint(all[1:2]))
	out, err := child.CombinedOutput()
	require.NoError(t, err, string(out))
}
