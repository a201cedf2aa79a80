package wake

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

func init() { roles["print-layers"] = printLayers }

// printLayers prints the largest layer of each way, in a process with the timer slack that its parent set.
func printLayers([]string) error {
	w, err := Run(context.Background(), Ways(), Settings{Time: 4 * time.Second, Spans: []time.Duration{100 * time.Microsecond}}, nil)
	for _, way := range w.Ways {
		var largest SleepLayer
		for _, s := range way.Spans {
			for _, l := range s.Layers {
				if l.NS > largest.NS {
					largest = l
				}
			}
		}
		fmt.Printf("%s: %s, slack %d\n", way.ID, largest.Name, w.Timers.SlackNS)
	}
	return err
}

// A process that inherits a timer slack of 5 ms sleeps late, and the layers name the slack. A timerfd has no slack.
func TestInheritedSlackIsFound(t *testing.T) {
	need.Processes(t)
	printed := "\n"
	for range 3 { // beside other programs a run has no layers of some ways
		done := make(chan error)
		go func() {
			runtime.LockOSThread() // never unlocked: the slack ends with the thread
			_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 5_000_000, 0, 0, 0)
			command := program.Role("print-layers")
			command.Stderr = os.Stderr
			out, err := command.Output()
			printed += string(out)
			done <- err
		}()
		require.NoError(t, <-done)
		missing := func(way string) bool {
			return !strings.Contains(printed, "\n"+way+"@syscall: "+TimerSlack+", slack 5000000\n")
		}
		if !slices.ContainsFunc([]string{"nanosleep", "clock_nanosleep", "ppoll", "select", "epoll_pwait2", "futex"}, missing) {
			require.NotContains(t, printed, "timerfd@syscall: "+TimerSlack)
			return
		}
	}
	require.Fail(t, "a way has no layer of the timer slack", printed)
}

// A way whose lateness is the timer slack of its thread has that layer, exactly, and the thread has its slack back.
func TestPlantedSlack(t *testing.T) {
	var after uintptr
	w := run(t, settings(), fake("slack@fake", func() int64 {
		after = slack()
		return 14_000 + int64(after)
	}))
	before := w.Timers.SlackNS
	require.Positive(t, before)
	require.Equal(t, []SleepLayer{{TimerSlack, float64(before - 1)}, {TheRest, 14_001}}, w.Ways[0].Spans[0].Layers)
}

// The names of layers need a cause: CPUs that never idle have no layer of leaving idle.
func TestBusyCPUsHaveNoIdleLayer(t *testing.T) {
	r := &runner{Settings: settings(), threads: []*sleepingThread{{ways: []*openWay{{}}}}}
	for step := range steps {
		r.threads[0].ways[0].late[step] = make([]lateness, len(r.Spans))
	}
	r.threads[0].ways[0].late[asIs][0].all = 100
	r.checkIdle([]IdleState{{Name: "C1", Entered: 3}, {Name: "C6", Entered: 9}})
	require.Equal(t, "the CPUs were busy and entered an idle state 12× in 100 sleeps", r.noIdle)
	r.noIdle = ""
	r.checkIdle([]IdleState{{Name: "C1", Entered: 3}, {Name: "C6", Entered: 90}})
	require.Empty(t, r.noIdle)
	r.checkIdle(nil) // the kernel does not count them
	require.Empty(t, r.noIdle)
}

// A signal, as of a debugger or of Ctrl-Z, does not make a sleep end early.
func TestNoSleepEndsEarlyBySignals(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread, over := unix.Gettid(), make(chan bool)
	var signals sync.WaitGroup
	signals.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(5 * time.Millisecond):
				_ = unix.Tgkill(unix.Getpid(), thread, unix.SIGURG) // the Go runtime ignores it
			}
		}
	})
	for _, way := range systemWays {
		var opened cleanup
		sleep, err := way.open(&opened)
		for range 3 {
			if err != nil {
				break
			}
			var late int64
			late, err = sleep(int64(50 * time.Millisecond))
			if errors.Is(err, unix.EINTR) {
				err = nil
				continue
			}
			require.True(t, err != nil || late >= 0, "%s: %d ns, %v", way.ID, late, err)
		}
		require.NotErrorIs(t, err, unix.Errno(0), way.ID)
		opened.run()
	}
	close(over)
	signals.Wait()
}
