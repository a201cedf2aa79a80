package wake

import (
	"errors"
	"io"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/system/program"
	"golang.org/x/sys/unix"
)

// round has the steps of a round. The figures are of asIs; the others are for layers.
var round = []step{asIs, tight, asIs, awake}

// begin begins a step, and returns how to end it, and whether the step can be had.
func (r *runner) begin(step step, waker *program.Child) (end func(), ok bool) {
	if step != awake || waker == nil {
		return nothing, step != awake
	}
	waker.Signal(unix.SIGCONT)
	thread.Sleep(time.Millisecond) // until it runs
	return func() { waker.Signal(unix.SIGSTOP) }, true
}

// change changes this thread for a step, and returns how to undo it.
func (r *runner) change(t *sleepingThread, step step) (undo func()) {
	if step == asIs {
		return nothing
	}
	restore := setSlack(1)
	var before, one unix.CPUSet
	one.Set(t.at)
	if step == tight || t.cpu != thread.Any || unix.SchedGetaffinity(0, &before) != nil || unix.SchedSetaffinity(0, &one) != nil {
		return restore
	}
	return func() { _ = unix.SchedSetaffinity(0, &before); restore() }
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

// ready is what the role prints when it keeps the CPUs awake.
const ready = "ready\n"

// startAwake starts a process that keeps the CPUs of the threads awake while it is not stopped, and stops it. Without one it
// returns nil, and sets noIdle.
func (r *runner) startAwake() *program.Child {
	switch {
	case r.Busy > 0:
		r.noIdle = "all CPUs are busy (--load)"
		return nil
	case r.Quota:
		r.noIdle = "keeping a CPU awake would use up the CPU quota"
		return nil
	}
	var cpus []string
	for _, t := range r.threads {
		cpus = append(cpus, strconv.Itoa(t.at))
	}
	child, err := program.Start(r.ctx, program.Role(AwakeRole, cpus...))
	if err != nil {
		r.noIdle = err.Error()
		return nil
	}
	_ = child.Out.SetReadDeadline(time.Now().Add(observe.Late))
	n, err := child.Out.Read(make([]byte, len(ready)))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		endAwake(child)
		r.noIdle = "the CPUs were busy"
		return nil
	case n == 0:
		r.noIdle = "no CPU could be kept awake: " + child.Fate()
		return nil
	}
	child.Signal(unix.SIGSTOP)
	return child
}

// endAwake ends the process. A thread of SCHED_IDLE ends only when it gets a CPU, on a busy machine after seconds, and
// nothing depends on that.
func endAwake(waker *program.Child) {
	if waker == nil {
		return
	}
	const patience = 100 * time.Millisecond
	waker.Kill()
	ended := make(chan bool)
	go func() {
		waker.Close()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(patience):
	}
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
