package thread

import (
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

func TestRunPinsToEachUsableCPU(t *testing.T) {
	for i, cpu := range Usable() {
		require.Equal(t, cpu, Topology()[i].ID)
		var set unix.CPUSet
		var err error
		at := Any
		require.NoError(t, Run(cpu, func() { at, err = Current(), unix.SchedGetaffinity(0, &set) }))
		require.NoError(t, err)
		require.Equal(t, cpu, at)
		require.Equal(t, 1, set.Count())
		require.True(t, set.IsSet(cpu))
	}
	before := Usable()
	require.NoError(t, Run(Any, func() { require.Equal(t, before, Usable(), "pinning leaked into another thread") }))
}

// A machine may have more than the 1024 CPUs of a cpu_set_t.
func TestSetOfCPUs(t *testing.T) {
	var set cpuSet
	require.Empty(t, set.cpus())
	many := []int{0, 31, 32, 63, 64, 1023, 1024, 5000, 8191}
	for _, cpu := range append(many, 8192, maxCPU) {
		set.add(cpu)
	}
	require.Equal(t, many, set.cpus())
	before, err := affinity()
	require.NoError(t, err)
	require.NoError(t, Run(Any, func() { require.NoError(t, setAffinity(&before)) }))
}

// A signal for the process is delivered while a measuring thread runs, but not on that thread.
func TestRunBlocksSignalsOnItsThreadAlone(t *testing.T) {
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGUSR1)
	defer signal.Stop(received)
	require.NoError(t, Run(Any, func() {
		var mask unix.Sigset_t
		require.NoError(t, unix.PthreadSigmask(unix.SIG_BLOCK, nil, &mask))
		require.NotZero(t, mask.Val[0]&(1<<(syscall.SIGINT-1)))
		require.NotZero(t, mask.Val[0]&(1<<(syscall.SIGURG-1)))
		require.Zero(t, mask.Val[0]&(1<<(syscall.SIGSEGV-1)))
		require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGUSR1))
		select {
		case <-received:
		case <-time.After(need.Long):
			t.Error("the signal did not reach the process")
		}
	}))
}

// Moved to another CPU, the thread is free. A CPU that does not exist is an error.
func TestMoveLeavesTheThreadFree(t *testing.T) {
	before := Usable()
	for _, cpu := range before {
		require.NoError(t, Run(Any, func() {
			require.NoError(t, Move(cpu))
			require.Equal(t, before, Usable())
		}))
	}
	require.NoError(t, Run(Any, func() { require.ErrorIs(t, Move(1000), syscall.EINVAL) }))
	err := Run(1000, func() { t.Error("fn ran on a CPU that does not exist") })
	require.ErrorIs(t, err, syscall.EINVAL)
	require.ErrorContains(t, err, "CPU 1000")
}

func TestSleepTakesItsTime(t *testing.T) {
	begun := time.Now()
	Sleep(5 * time.Millisecond)
	require.GreaterOrEqual(t, time.Since(begun), 5*time.Millisecond)
}

// The main thread would be parked forever with its affinity and signal mask.
func TestRunLeavesTheMainThreadAlone(t *testing.T) {
	for range 50 {
		require.NoError(t, Run(Any, func() { require.NotEqual(t, unix.Getpid(), unix.Gettid()) }))
	}
}

func TestIsolatedCPUs(t *testing.T) {
	for list, want := range map[string][]int{"2-3,6\n": {2, 3, 6}, "5": {5}, "\n": nil, "": nil, "x\n": nil} {
		file := filepath.Join(t.TempDir(), "isolated")
		require.NoError(t, os.WriteFile(file, []byte(list), 0o600))
		require.Equal(t, want, isolatedIn(file), "%q", list)
	}
	require.Nil(t, isolatedIn(filepath.Join(t.TempDir(), "missing")))
}

// A program that the system refuses a thread ends with a stack dump.
func TestReserveStartsThreads(t *testing.T) {
	threads := func() int {
		all, err := os.ReadDir("/proc/self/task")
		require.NoError(t, err)
		return len(all)
	}
	want := threads() + 10
	Reserve(want)
	require.GreaterOrEqual(t, threads(), want)
}

// The RK3588 has three clusters. Each one counts core_id from 0. Hyper-threads share a core. Linux numbers the CPUs of
// a small dual Xeon so that even CPUs are in one package, and hyper-threads in the upper half. Compact fills a core,
// and then a package. Spread takes each package in turn, and hyper-threads last.
func TestOrdersOfCPUs(t *testing.T) {
	type core struct{ socket, id, siblings string }
	xeon := []core{
		{"0", "0", "0,4"}, {"1", "0", "1,5"}, {"0", "1", "2,6"}, {"1", "1", "3,7"},
		{"0", "0", "0,4"}, {"1", "0", "1,5"}, {"0", "1", "2,6"}, {"1", "1", "3,7"},
	}
	for name, c := range map[string]struct {
		cores                   []core
		usable, compact, spread []int
	}{
		"RK3588": {
			[]core{{"0", "0", "0"}, {"0", "1", "1"}, {"0", "2", "2"}, {"0", "3", "3"}, {"0", "0", "4"}, {"0", "1", "5"},
				{"0", "0", "6"}, {"0", "1", "7"}},
			firstCPUs(8), firstCPUs(8), firstCPUs(8),
		},
		"two sockets":      {xeon, firstCPUs(8), []int{0, 4, 2, 6, 1, 5, 3, 7}, firstCPUs(8)},
		"some of the CPUs": {xeon, []int{6, 1, 2}, []int{2, 6, 1}, []int{2, 1, 6}},
		"no CPUs":          {xeon, nil, []int{}, []int{}},
	} {
		mount := t.TempDir()
		for cpu, core := range c.cores {
			folder := filepath.Join(mount, "devices/system/cpu/cpu"+strconv.Itoa(cpu), "topology")
			require.NoError(t, os.MkdirAll(folder, 0o755))
			for file, text := range map[string]string{
				"core_id": core.id, "physical_package_id": core.socket, "core_siblings_list": "0-7",
				"thread_siblings_list": core.siblings,
			} {
				require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(text+"\n"), 0o644))
			}
		}
		require.Equal(t, c.compact, Compact(topologyIn(mount, c.usable)), name)
		require.Equal(t, c.spread, Spread(topologyIn(mount, c.usable)), name)
	}
}
