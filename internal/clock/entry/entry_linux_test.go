package entry

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock/vdso"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/native"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// vdsoRead returns clock_gettime(id) of the real vDSO.
func vdsoRead(t *testing.T, id uintptr) Read {
	t.Helper()
	name := "clock_gettime"
	if native.SysClockGettime32 != native.NoSyscall {
		name = "clock_gettime64"
	}
	fn, err := vdso.Lookup(name)
	if err != nil {
		need.Missing(t, "vdso", err.Error())
	}
	return func(buffer unsafe.Pointer, n int) int { return native.CallIDBuffer(fn, id, buffer, 0, n) }
}

// needFilters skips a test if no filter can be installed, as in some containers and under
// qemu-user.
func needFilters(t *testing.T) {
	t.Helper()
	var refused error
	err := thread.Run(thread.Any, func() {
		p := probe{new([2]int64)}
		if refused = installFilter(p.buffer); refused == nil {
			refused = p.control()
		}
	})
	require.NoError(t, err)
	if refused != nil {
		need.Missing(t, "seccomp", refused.Error())
	}
}

// The vDSO never supports the CPU time clocks (lib/vdso/gettimeofday.c). It supports the coarse
// clocks with every clock source. A read that enters the kernel only sometimes is neither always nor never.
func TestOfTheRealVDSO(t *testing.T) {
	needFilters(t)
	turn, coarse := 0, vdsoRead(t, unix.CLOCK_MONOTONIC_COARSE)
	require.Equal(t, []Verdict{
		{result.Always, "seccomp"}, {result.Never, "seccomp"}, {result.Always, "seccomp"}, {result.Sometimes, "seccomp"},
		{result.Unknown, "the read fails"},
	}, Of([]Read{
		vdsoRead(t, unix.CLOCK_PROCESS_CPUTIME_ID), coarse, systemCalls[1].read,
		func(buffer unsafe.Pointer, n int) int {
			if turn++; turn%3 == 0 {
				return systemCalls[0].read(buffer, n)
			}
			return coarse(buffer, n)
		},
		func(unsafe.Pointer, int) int { return -int(syscall.EINVAL) },
	}))
}

// The filter is on one thread, which ends: afterwards the calls work, here and in a
// child, and no thread has a filter left.
func TestNothingIsLeft(t *testing.T) {
	needFilters(t)
	before := seccomp(t, "/proc/self/status")
	require.NotEmpty(t, before)
	buffer := new([2]int64)
	leak := func(unsafe.Pointer, int) int { return systemCalls[0].read(unsafe.Pointer(buffer), 1) }
	require.Equal(t, result.Unknown, Of([]Read{leak})[0].Enters, "a call to another buffer is not filtered")
	require.Positive(t, buffer[0])
	require.Zero(t, systemCalls[0].read(unsafe.Pointer(buffer), 1))
	// The thread is on its way out when Of returns.
	need.Until(t, "no thread has the filters", func() bool { return len(otherwiseFiltered(t, before)) == 0 })
	require.Equal(t, before, seccomp(t, "/proc/self/status"))
	child, err := exec.Command("/proc/self/exe", "-test.run", "^$").CombinedOutput()
	require.NoError(t, err, string(child))
}

// otherwiseFiltered returns the threads of this process whose filters differ from these. The
// status file of the process covers only its first thread.
func otherwiseFiltered(t *testing.T, these string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/self/task/*/status")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var found []string
	for _, file := range files {
		if filters := seccomp(t, file); filters != "" && filters != these {
			found = append(found, file+": "+filters)
		}
	}
	return found
}

// seccomp returns the lines of a status file about filters (proc_pid_status(5)); "" if the
// thread has ended.
func seccomp(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return ""
	}
	require.NoError(t, err)
	var lines []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "Seccomp") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, ", ")
}

// Without a filter, or with a kernel that accepts one but ignores it, as some emulators of Linux do, the kind of CPU
// time or the cost decides.
func TestWithoutFilters(t *testing.T) {
	for reason, install := range map[string]func(*[2]int64) error{
		"not permitted": func(*[2]int64) error { return errors.New("not permitted") },
		"a filter for clock_gettime was installed but has no effect": func(*[2]int64) error { return nil },
	} {
		verdicts := of([]Read{
			systemCalls[0].read,
			func(_ unsafe.Pointer, n int) int { native.CallNothing(n); return 0 },
			func(unsafe.Pointer, int) int { return -int(syscall.ENOSYS) },
		}, install)
		require.NotEqual(t, result.Never, verdicts[0].Enters)
		require.NotEqual(t, result.Always, verdicts[1].Enters)
		require.Equal(t, Verdict{result.Unknown, "no seccomp filter (" + reason + "), and CPU time and cost are inconclusive"},
			verdicts[2])
	}
}

// The minimum is the cost of a read, without the checks of the time and while no other program has the CPU. Beside busy
// programs, a read is made for as much CPU time as alone. With less CPU time, its kind is inconclusive.
func TestCostOfARead(t *testing.T) {
	const look, read = 2 * time.Microsecond, 10 * time.Nanosecond
	for share, unclear := range map[int]bool{1: false, 4: false, 50: true} {
		var at time.Time
		calls := 0
		spent := spend(func(_ unsafe.Pointer, n int) int {
			at = at.Add(time.Duration(n) * read)
			if calls++; calls%700 == 0 {
				at = at.Add(time.Millisecond) // another program has the CPU
			}
			return 0
		}, stopwatch{
			wall: func() time.Time {
				at = at.Add(look)
				return at
			},
			cpu: func() (user, system time.Duration, err error) {
				used := at.Sub(time.Time{}) / time.Duration(share)
				return used / 4, used - used/4, nil
			},
		}, longest)
		require.InDelta(t, float64(read), spent.readNS, 0.2, "a share of 1/%d", share)
		require.InDelta(t, 0.75, spent.systemShare, 0.01, "a share of 1/%d", share)
		require.Equal(t, unclear, spent.unclear, "a share of 1/%d", share)
		require.InDelta(t, float64(min(calling*time.Duration(share), longest)), float64(at.Sub(time.Time{})),
			float64(longest)/10, "a share of 1/%d", share)
	}
	require.Equal(t, longest, scale{}.patience())
	require.Equal(t, calling, scale{empty: expense{unclear: true}}.patience(), "the reads need not wait then")
}

func TestJudge(t *testing.T) {
	call, empty, unaccounted := expense{0.7, 300, false}, expense{0, 2, false}, expense{0, 300, false}
	unknown := Verdict{Enters: result.Unknown}
	for name, c := range map[string]struct {
		call, empty, read expense
		want              Verdict
	}{
		"system time":            {call, empty, expense{0.66, 280, false}, Verdict{result.Always, "cpu time"}},
		"user time":              {call, empty, expense{0.01, 25, false}, Verdict{result.Never, "cpu time"}},
		"user time, slow":        {call, empty, expense{0.01, 1200, false}, Verdict{result.Never, "cpu time"}},
		"between, fast":          {call, empty, expense{0.25, 25, false}, Verdict{result.Never, "cost"}},
		"between, slow":          {call, empty, expense{0.25, 290, false}, unknown},
		"no accounting, fast":    {unaccounted, empty, expense{0, 25, false}, Verdict{result.Never, "cost"}},
		"no accounting, slow":    {unaccounted, empty, expense{0, 290, false}, unknown},
		"no accounting, between": {unaccounted, empty, expense{0, 130, false}, unknown},
		"implausible accounting": {call, expense{0.5, 2, false}, expense{0.6, 290, false}, unknown},
		"unclear, fast":          {call, empty, expense{1, 25, true}, Verdict{result.Never, "cost"}},
		"unclear, slow":          {call, empty, expense{1, 290, true}, unknown},
		"unclear system call":    {expense{0.7, 300, true}, empty, expense{0.7, 25, false}, Verdict{result.Never, "cost"}},
		"unclear empty call":     {call, expense{0, 2, true}, expense{0.7, 290, false}, unknown},
		"no scale":               {expense{}, expense{}, expense{0.5, 25, false}, unknown},
		"no read":                {call, empty, expense{}, unknown},
	} {
		require.Equal(t, c.want, scale{c.call, c.empty}.judge(c.read), name)
	}
}
