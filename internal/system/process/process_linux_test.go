package process

import (
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// The tests of symbols and profile show what a process is that has ended.
func TestDescendants(t *testing.T) {
	need.Processes(t)
	command := exec.Command(need.Program(t, "sh"), "-c", "cat; true") // cat ends with standard input
	in, err := command.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() { _, _ = in.Close(), command.Wait() })
	pid := command.Process.Pid
	numbers := func(pids []int, except int) (all []int) {
		for _, stat := range Descendants(pids, except) {
			all = append(all, stat.PID)
		}
		return all
	}
	need.Until(t, "one process", func() bool { return len(numbers([]int{pid}, 0)) == 1 })
	cat := numbers([]int{pid}, 0)[0]
	self, err := Self()
	require.NoError(t, err)
	require.Subset(t, numbers([]int{self.PID}, 0), []int{pid, cat})
	require.NotContains(t, numbers([]int{self.PID, pid}, 0), pid)
	require.NotContains(t, numbers([]int{self.PPID}, self.PID), cat)
	stat, err := Stat(cat)
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(byParent()[pid], func(child ProcStat) bool { return Of(child) == Of(stat) }))
	require.Contains(t, Children(), pid)
	require.NotContains(t, Children(), cat)
	_, err = StatusOf(1 << 30)
	require.ErrorIs(t, err, ErrEnded)
}
