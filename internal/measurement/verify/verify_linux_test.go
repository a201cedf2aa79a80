package verify

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/test/need"
	"github.com/timebench/timebench/test/planted"
	"golang.org/x/sys/unix"
)

// The threads lose their CPU while they read: values that they read elsewhere are discarded.
func TestCPUThatGoesAwayMeanwhile(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	for _, reads := range []int64{1, 100_000} {
		moving := fake("moves@fake", clock.Monotonic, func() func() int64 {
			read := int64(0)
			return func() int64 {
				if read++; read == reads && thread.Current() == cpus[1] {
					var set unix.CPUSet
					set.Set(cpus[0])
					if err := unix.SchedSetaffinity(0, &set); err != nil {
						panic(err)
					}
				}
				return now()
			}
		})
		var v Verification
		// On a busy machine a run may end before this number of reads.
		for tries := 0; len(v.LostCPUs) == 0; tries++ {
			require.Less(t, tries, 50)
			v = run(t, cpus, moving)
		}
		require.Equal(t, []int{cpus[1]}, v.LostCPUs)
		require.Empty(t, v.Clocks[0].Faults)
		require.Equal(t, fmt.Sprintf("CPU %d went away", cpus[1]), v.Clocks[0].Reason)
		if reads == 1 {
			require.Nil(t, v.Clocks[0].Across, "there is one CPU left")
			require.Equal(t, OneCPU, v.Clocks[0].Verdict)
		}
	}
}

// A process that was stopped for longer than a thread may be late loses no CPU: the remaining
// clocks are verified.
func TestStoppedProcessLosesNoCPU(t *testing.T) {
	if os.Getenv("TIMEBENCH_TEST_STOPPED") != "" {
		var opened atomic.Int32
		slow := fake("slow@fake", clock.Monotonic, func() func() int64 {
			if opened.Add(1) > 2 { // two are for the checks before
				for range 10 {
					time.Sleep(observe.Late / 20)
				}
			}
			return now
		})
		v := Run(context.Background(), []clock.Clock{slow, shared("next@fake", now)}, under(time.Second, thread.Usable()), nil)
		require.Empty(t, v.LostCPUs)
		for _, c := range v.Clocks {
			require.NotEqual(t, Unverified, c.Verdict, c.Reason)
			require.Empty(t, c.Faults)
		}
		return
	}
	need.Processes(t)
	child := exec.Command(os.Args[0], "-test.run", "^TestStoppedProcessLosesNoCPU$", "-test.v")
	child.Env = append(os.Environ(), "TIMEBENCH_TEST_STOPPED=1")
	var out strings.Builder
	child.Stdout, child.Stderr = &out, &out
	require.NoError(t, child.Start())
	time.Sleep(observe.Late / 4) // while its threads open the first clock
	require.NoError(t, child.Process.Signal(unix.SIGSTOP))
	time.Sleep(observe.Late + observe.Late/4)
	require.NoError(t, child.Process.Signal(unix.SIGCONT))
	require.NoError(t, child.Wait(), out.String())
}
