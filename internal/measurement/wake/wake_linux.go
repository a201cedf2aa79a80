package wake

import (
	"cmp"
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

// settles is how long sleeps of more than 1 ms end up to 12 % earlier, also in a C program, after the step awake.
const settles = 200 * time.Millisecond

// setSlack sets the timer slack of the calling thread; prctl(2): 0 is the slack that it began with.
func setSlack(ns uintptr) { _, _, _ = unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_TIMERSLACK, ns, 0) }

// slack returns the timer slack of the calling thread in ns; prctl(2).
func slack() uintptr {
	ns, _, _ := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_GET_TIMERSLACK, 0, 0)
	return ns
}

// ready is what the role prints when it keeps the CPUs awake.
const ready = "ready\n"

// A waker is a process that keeps the CPUs of the threads awake while it is not stopped; nil if that cannot be had.
type waker struct {
	*program.Child
	settle bool // after the step awake
}

// startAwake starts a waker, and stops it. Without one it sets noIdle.
func (r *runner) startAwake() *waker {
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
	w := &waker{child, r.Spans[0] > time.Millisecond}
	_ = child.Out.SetReadDeadline(time.Now().Add(observe.Late))
	if _, err = child.Out.Read(make([]byte, len(ready))); err == nil {
		w.Signal(unix.SIGSTOP)
		return w
	}
	if r.noIdle = "the CPUs were busy"; errors.Is(err, io.EOF) {
		r.noIdle = "no CPU could be kept awake: " + child.Fate()
	}
	w.end()
	return nil
}

// during does a pass of a step, with CPUs that the step keeps awake; nothing if it cannot.
func (w *waker) during(step step, pass func()) {
	if step == awake {
		if w == nil {
			return
		}
		w.Signal(unix.SIGCONT)
		defer func() {
			if w.Signal(unix.SIGSTOP); w.settle {
				thread.Sleep(settles)
			}
		}()
		thread.Sleep(time.Millisecond) // until it runs
	}
	pass()
}

// end ends the process. A thread of SCHED_IDLE ends only when it gets a CPU, on a busy machine after seconds, and
// nothing depends on that.
func (w *waker) end() {
	if w != nil {
		w.Kill()
		go w.Close()
	}
}

// KeepAwake keeps CPUs awake, the arguments, until its standard input ends. Its threads run under SCHED_IDLE: they give
// their CPU to every other thread at once (sched(7)). It is another process, since such a thread gets hardly any time
// on a busy machine, and a garbage collection would wait for it.
func KeepAwake(args []string) error {
	runtime.GOMAXPROCS(len(args) + 1)
	began := make(chan error)
	var crew observe.Crew
	for i, arg := range args {
		cpu, err := strconv.Atoi(arg)
		if err != nil {
			return err
		}
		crew.Start(i, cpu, func(err error) {
			err = cmp.Or(err, thread.SetIdlePolicy())
			began <- err
			for err == nil {
				thread.Pause()
			}
		})
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
