package verify

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
	"github.com/timebench/timebench/test/planted"
	"golang.org/x/sys/unix"
)

// The system of these tests refuses a thousand threads.
func TestMain(m *testing.M) {
	program.Main(program.Roles{observe.ThreadsRole: func(args []string) error {
		if len(args[0]) > 3 {
			return errors.New("refused")
		}
		return nil
	}})
	os.Exit(m.Run())
}

// A run whose threads the system refuses has the reason: Go's runtime would end the process.
func TestThreadsThatTheSystemRefuses(t *testing.T) {
	need.Processes(t)
	v := Run(t.Context(), []clock.Clock{shared("good", now)},
		Settings{Time: 10 * time.Millisecond, CPUs: slices.Repeat([]int{0}, 1000)}, nil)
	require.Equal(t, Unverified, v.Clocks[0].Verdict)
	require.Contains(t, v.Clocks[0].Reason, "the system refuses 1000 threads (exit status 2)")
}

// A CPU whose thread is moved away, or gets no time before the reads or during them, is lost. The values that the
// thread reads since, which are wrong here, are no faults, and the other CPU is verified.
func TestCPUsThatAreLost(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	for how, after := range map[string]int{"moved": 10_000, "moved while compared": 300, "no time before": 10_000,
		"no time": 10_000} { // after so many reads
		var v Verification
		for try := 0; try < 30 && !slices.Equal(v.LostCPUs, cpus[1:]); try++ { // the other CPU may have no time
			held := make(chan struct{})
			c := watched("lost@fake", clock.Monotonic, func() func() int64 {
				if thread.Current() != cpus[1] {
					return now
				}
				if how == "no time before" {
					<-held
				}
				reads, behind := 0, int64(0)
				return func() int64 {
					if reads++; reads == after {
						if behind = 1e8; how == "no time" {
							<-held
						}
						var other unix.CPUSet
						other.Set(cpus[0])
						_ = unix.SchedSetaffinity(0, &other)
					}
					return now() - behind
				}
			})
			c.PerThread = how == "no time before" // without it the threads compare their values
			if open := c.Open; how == "moved while compared" {
				c.Open = func() (clock.Reader, error) {
					opened, err := open()
					r := opened.(*fakeReader)
					r.next, r.single = now, r.next
					return r, err
				}
			}
			v = run(t, cpus, c)
			close(held)
		}
		reason := fmt.Sprintf("no thread got CPU %d in time", cpus[1])
		if strings.HasPrefix(how, "moved") {
			reason = fmt.Sprintf("CPU %d went offline", cpus[1])
		}
		require.Equal(t, []int{cpus[1]}, v.LostCPUs, how)
		require.Equal(t, reason, v.Clocks[0].Reason, how)
		require.Empty(t, v.Clocks[0].Faults, how)
		require.Positive(t, v.Clocks[0].Reads, how)
	}
}
