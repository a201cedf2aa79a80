package wake

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/system/process"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

func init() { roles["print-layers"] = printLayers }

// printLayers prints the largest layer of each way, in a process with the timer slack that its parent set, and whether
// the machine is calm: the sleeps without slack are late by a small part of it.
func printLayers([]string) error {
	s := Settings{Time: 1500 * time.Millisecond, Spans: []time.Duration{100 * time.Microsecond}}
	w, err := Run(context.Background(), systemWays, s, quiet)
	for _, r := range Rows(w.Ways) {
		largest := SleepLayer{Name: "none"}
		for _, l := range r.Layers {
			if l.NS > largest.NS {
				largest = l
			}
		}
		fmt.Printf("%s: %s, slack %d\n", r.ID, largest.Name, w.Timers.SlackNS)
		if r.ID == "timerfd@syscall" && r.Samples >= 100 && r.MaxLateNS < 1e6 {
			fmt.Println("calm")
		}
	}
	return err
}

// A process that inherits a timer slack of 2 ms sleeps late, and the layers name the slack. A timerfd has no slack.
// Beside other programs a way may have no layers, wait for a CPU (the rest) or only show its rounding, but never
// another cause.
func TestInheritedSlackIsFound(t *testing.T) {
	need.Processes(t)
	slackless := []string{"timerfd@syscall", "io_uring@syscall"}
	unknown := map[string]bool{}
	for _, way := range []string{"nanosleep", "clock_nanosleep", "ppoll", "select", "epoll_pwait2", "futex"} {
		unknown[way+"@syscall"] = true
	}
	ways, calm := len(unknown), false
	for range 3 {
		printed := make(chan string)
		go func() {
			runtime.LockOSThread() // never unlocked: the slack ends with the thread
			_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 2_000_000, 0, 0, 0)
			command := program.Role("print-layers")
			command.Stderr = os.Stderr
			out, err := command.Output()
			printed <- fmt.Sprint(string(out), err)
		}()
		text := <-printed
		require.Regexp(t, `, slack 2000000\n(calm\n)?<nil>$`, text)
		for line := range strings.Lines(text) {
			id, layer, _ := strings.Cut(strings.TrimSuffix(line, ", slack 2000000\n"), ": ")
			if slices.Contains(slackless, id) {
				require.NotEqual(t, TimerSlack, layer, text)
			} else if strings.HasSuffix(id, "@syscall") && !slices.Contains([]string{"none", Rounding, TheRest}, layer) {
				require.Equal(t, TimerSlack, layer, text)
				delete(unknown, id)
			}
		}
		if len(unknown) == 0 {
			return
		}
		calm = calm || strings.Contains(text, "\ncalm\n")
	}
	require.False(t, calm && len(unknown) == ways, "no way has the layer")
	t.Log("the machine is too busy to know each way's layers")
}

// A program with a large slack is named, if this user may read the slack of others. A process of timebench is not.
func TestLargeSlacksAreNamed(t *testing.T) {
	need.Processes(t)
	command := exec.Command("sh", "-c", "sleep 1000 & echo $!; wait")
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the slack ends with the thread
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 3_000_000_000, 0, 0, 0)
		started <- command.Start()
	}()
	require.NoError(t, <-started)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	defer func() {
		_ = unix.Kill(pid, unix.SIGKILL) // then the shell ends
		_ = command.Wait()
	}()
	slackOf := func(pid int) int64 { return number(fmt.Sprintf("/proc/%d/timerslack_ns", pid)) }
	named := func(pid int) bool {
		return slices.ContainsFunc(LargeSlacks(), func(p ProgramSlack) bool { return p.PID == pid })
	}
	if os.Getuid() == 0 && slackOf(os.Getppid()) > 0 { // not in a container without the right
		require.Equal(t, int64(3_000_000_000), slackOf(pid))
	}
	require.Equal(t, slackOf(pid) == 3_000_000_000, named(pid))
	require.False(t, named(command.Process.Pid))
}

// A way whose lateness is the timer slack of its thread has that layer, exactly, and the thread has its slack back.
func TestPlantedSlack(t *testing.T) {
	var after uintptr
	planted := fake("slack@fake", func() int64 {
		after = slack()
		return 14_000 + int64(after)
	})
	s := settings()
	w := run(t, s, planted)
	for w.Ways[0].Spans[0].Layers == nil && s.Time < time.Minute { // other programs left no CPU for a pass
		s.Time *= 4
		w = run(t, s, planted)
	}
	before := w.Timers.SlackNS
	require.Positive(t, before)
	require.Equal(t, []SleepLayer{{TimerSlack, float64(before - 1)}, {TheRest, 14_001}}, w.Ways[0].Spans[0].Layers)
}

// In one step of a round a process keeps the CPUs awake, and in the others it is stopped: the difference is the layer
// of leaving idle.
func TestCPUsAreKeptAwakeInOneStep(t *testing.T) {
	need.Processes(t)
	var earlier []int  // processes of other runs, which may live on for seconds
	var stopped []bool // the process, in each sleep
	way := fake("late@fake", func() int64 {
		for _, pid := range process.Children() {
			stat, err := process.Stat(pid)
			if err == nil && !slices.Contains(earlier, pid) {
				stopped = append(stopped, stat.State == "T")
			}
		}
		return 1000
	})
	const enough = 4 // it may begin to stop before the first step; then it continues, stops, and continues
	turns, busy := 0, false
	for s := settings(); s.Time < time.Minute && turns < enough; s.Time *= 4 { // beside busy programs it stops late
		earlier, stopped = process.Children(), nil
		w := run(t, s, way)
		if strings.HasPrefix(w.NoIdleLayer, "no CPU could be kept awake") {
			need.Missing(t, "SCHED_IDLE", w.NoIdleLayer)
		}
		if busy = w.NoIdleLayer == "the CPUs were busy"; !busy {
			turns = len(slices.Compact(stopped))
		}
	}
	if busy {
		need.Missing(t, "idle CPUs", "the process that keeps them awake got none for seconds")
	}
	require.GreaterOrEqual(t, turns, enough)
}

// The idle states that the kernel counts are in the result, each once.
func TestIdleStatesAreRead(t *testing.T) {
	states, err := filepath.Glob("/sys/devices/system/cpu/cpu0/cpuidle/state*/usage")
	require.NoError(t, err)
	require.Equal(t, len(states) > 0, len(timers([]int{0}).IdleStates) > 0)
}

// The schema names all facts, so that a program can look for them.
func TestSchemaNamesTheFacts(t *testing.T) {
	schema, err := os.ReadFile("../../../docs/timebench-1.schema.json")
	require.NoError(t, err)
	_, facts, found := strings.Cut(string(schema), `"facts are what else the kernel publishes`)
	require.True(t, found)
	facts, _, _ = strings.Cut(facts, "\n")
	for _, f := range files {
		require.Contains(t, facts, f.Name)
	}
}

// The names of layers need a cause: CPUs that never idle have no layer of leaving idle.
func TestBusyCPUsHaveNoIdleLayer(t *testing.T) {
	late := map[place]*lateness{{step: asIs}: {all: 70}, {step: tight}: {all: 30}, {step: awake}: {all: 50}}
	r := &runner{late: late}
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
	own, over := unix.Gettid(), make(chan bool)
	var signals sync.WaitGroup
	signals.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(5 * time.Millisecond):
				_ = unix.Tgkill(unix.Getpid(), own, unix.SIGURG) // the Go runtime ignores it
			}
		}
	})
	for _, way := range systemWays {
		sleep, err := way.open()
		for range 3 {
			if err != nil {
				break
			}
			var late int64
			late, err = sleep.sleep(int64(50 * time.Millisecond))
			if errors.Is(err, unix.EINTR) {
				err = nil
				continue
			}
			require.True(t, err != nil || late >= 0, "%s: %d ns, %v", way.ID, late, err)
		}
		require.NotErrorIs(t, err, unix.Errno(0), way.ID)
	}
	close(over)
	signals.Wait()
}
