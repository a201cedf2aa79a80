package wake

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/system/program"
	"golang.org/x/sys/unix"
)

// changes returns the change of each step, nil for a step that is left out, and what ends them.
func (r *runner) changes(ctx context.Context) (all [steps]*change, end func()) {
	all[asIs], end = unchanged(), func() {}
	all[tight] = &change{unchanged().begin, func(*sleepingThread) func() { return setSlack(1) }}
	switch {
	case r.Busy > 0:
		r.noIdle = "all CPUs are busy (--load)"
		return all, end
	case r.Quota:
		r.noIdle = "keeping a CPU awake would use up the CPU quota"
		return all, end
	}
	cpus := r.CPUs
	if cpus == nil {
		cpus = []int{r.threads[0].at}
	}
	child, err := startAwake(ctx, cpus)
	if err != nil {
		r.noIdle = err.Error()
		return all, end
	}
	all[awake] = &change{
		begin: func() func() {
			child.Signal(unix.SIGCONT)
			thread.Sleep(time.Millisecond) // until it runs
			return func() { child.Signal(unix.SIGSTOP) }
		},
		onThread: func(t *sleepingThread) func() {
			restore := setSlack(1)
			if t.cpu != thread.Any {
				return restore
			}
			var before, one unix.CPUSet
			one.Set(cpus[0])
			if unix.SchedGetaffinity(0, &before) != nil || unix.SchedSetaffinity(0, &one) != nil {
				return restore
			}
			return func() { _ = unix.SchedSetaffinity(0, &before); restore() }
		},
	}
	return all, func() {
		child.Kill()
		// A thread of SCHED_IDLE ends only when it gets a CPU, on a busy machine after seconds. Nothing depends on that.
		const patience = 100 * time.Millisecond
		ended := make(chan bool)
		go func() {
			child.Close()
			close(ended)
		}()
		select {
		case <-ended:
		case <-time.After(patience):
		}
	}
}

// setSlack sets the timer slack of this thread in ns, and returns how to restore it; prctl(2).
func setSlack(ns uintptr) (restore func()) {
	before := slack()
	_, _, _ = unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_TIMERSLACK, ns, 0)
	return func() { _, _, _ = unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_TIMERSLACK, before, 0) }
}

func slack() uintptr {
	ns, _, _ := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_GET_TIMERSLACK, 0, 0)
	return ns
}

// AwakeRole is the role of a process that keeps CPUs awake: [KeepAwake].
const AwakeRole = "awake"

// ready is what the role prints when it keeps the CPUs awake.
const ready = "ready\n"

// startAwake starts a process that keeps CPUs awake while it is not stopped, and stops it.
func startAwake(ctx context.Context, cpus []int) (*program.Child, error) {
	var args []string
	for _, cpu := range cpus {
		args = append(args, strconv.Itoa(cpu))
	}
	child, err := program.Start(ctx, program.Role(AwakeRole, args...))
	if err != nil {
		return nil, err
	}
	if n, _ := child.Out.Read(make([]byte, len(ready))); n == 0 {
		return nil, fmt.Errorf("no CPU could be kept awake: %s", child.Fate())
	}
	child.Signal(unix.SIGSTOP)
	return child, nil
}

// KeepAwake keeps CPUs awake, the arguments, until its standard input ends. Its threads run under SCHED_IDLE: they give
// their CPU to every other thread at once (sched(7)). It is another process, since such a thread gets hardly any time on
// a busy machine, and a garbage collection would wait for it.
func KeepAwake(args []string) error {
	runtime.GOMAXPROCS(len(args) + 1)
	began := make(chan error)
	for _, arg := range args {
		cpu, err := strconv.Atoi(arg)
		if err != nil {
			return err
		}
		go func() {
			began <- thread.Run(cpu, func() {
				err := thread.SetIdlePolicy()
				began <- err
				for err == nil {
					thread.Pause()
				}
			})
		}()
	}
	for range args {
		if err := <-began; err != nil {
			return err
		}
	}
	_, _ = os.Stdout.WriteString(ready)
	_, _ = io.Copy(io.Discard, os.Stdin)
	return nil
}
