package verify

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/thread"
	"github.com/timebench/timebench/test/planted"
	"golang.org/x/sys/unix"
)

// The threads' CPU is taken away while they read: what they read elsewhere is dropped.
func TestCPUThatGoesAwayMeanwhile(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	for _, reads := range []int64{1, 100_000} {
		v := run(t, cpus, fake("moves@fake", clock.Monotonic, func() func() int64 {
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
		}))
		require.Equal(t, []int{cpus[1]}, v.LostCPUs)
		require.Empty(t, v.Clocks[0].Faults)
		require.Equal(t, fmt.Sprintf("CPU %d went away", cpus[1]), v.Clocks[0].Reason)
		if reads == 1 {
			require.Nil(t, v.Clocks[0].Across, "there is one CPU left")
			require.Equal(t, result.OneCPU, v.Clocks[0].Verdict)
		}
	}
}
