package process

import (
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// started starts a program that waits for the end of standard input, which end closes.
func started(t *testing.T, command *exec.Cmd) (pid int, end func()) {
	t.Helper()
	need.Processes(t)
	in, err := command.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = command.Wait()
	})
	return command.Process.Pid, func() { require.NoError(t, in.Close()) }
}

func TestAProcessEnds(t *testing.T) {
	command := exec.Command(need.Program(t, "cat"))
	pid, end := started(t, command)
	stat, err := Stat(pid)
	require.NoError(t, err)
	id := Of(stat)
	require.NoError(t, id.Check())
	require.ErrorIs(t, ID{pid, id.Started + 1}.Check(), ErrEnded)
	require.False(t, Ended(stat))
	require.True(t, Lives(pid))
	require.Equal(t, "/proc/"+strconv.Itoa(pid), Folder(pid))
	require.Contains(t, All(), pid)
	require.Equal(t, []int{pid}, Threads(pid))

	end()
	require.Eventually(t, func() bool { return !Lives(pid) }, time.Minute, time.Millisecond)
	require.NoError(t, id.Check(), "it was not reaped")
	stat, err = Stat(pid)
	require.NoError(t, err)
	require.True(t, Ended(stat))
	require.NoError(t, command.Wait())
	require.EqualError(t, id.Check(), "process "+strconv.Itoa(pid)+": the process has ended")
	_, err = StatusOf(pid)
	require.ErrorIs(t, err, ErrEnded)
	require.False(t, Lives(pid))
	require.Empty(t, Threads(pid))
}

func TestDescendants(t *testing.T) {
	pid, _ := started(t, exec.Command(need.Program(t, "sh"), "-c", "cat; true"))
	numbers := func(pids []int, except int) (all []int) {
		for _, stat := range Descendants(pids, except) {
			all = append(all, stat.PID)
		}
		return all
	}
	require.Eventually(t, func() bool { return len(numbers([]int{pid}, 0)) == 1 }, time.Minute, time.Millisecond)
	cat := numbers([]int{pid}, 0)[0]
	self, err := Self()
	require.NoError(t, err)
	require.Subset(t, numbers([]int{self.PID}, 0), []int{pid, cat})
	require.NotContains(t, numbers([]int{self.PID, pid}, 0), pid)
	require.NotContains(t, numbers([]int{self.PPID}, self.PID), cat)
	stat, err := Stat(cat)
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(ByParent()[pid], func(child ProcStat) bool { return Of(child) == Of(stat) }))
	require.Contains(t, Children(), pid)
	require.NotContains(t, Children(), cat)
}
