package ptrace

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"

	"github.com/timebench/timebench/internal/machine/native"
	"github.com/timebench/timebench/internal/system/process"
	"golang.org/x/sys/unix"
)

// outputDelay is how long the output of a program may stay open after all its processes are gone,
// if the caller has not set WaitDelay. Only a process outside of the program can hold it open.
const outputDelay = 5 * time.Second

// Trace starts a program, follows it until it ends, and returns a span for each mark that was
// followed by another mark of the same thread, in the order of the marks. If hide is true, the
// vDSO is hidden from the program and from each program that it becomes or starts.
//
// The spans are valid, as far as they go, also if there is an error: the program fails, or the
// context ends. The program must not have been started. Its SysProcAttr and WaitDelay are changed,
// and its ProcessState stays nil. No other goroutine may wait for any child, wait4(-1).
//
// As with [exec.Cmd.Wait], the reader and the writers of the caller must not block for ever. If a
// writer fails, the program gets SIGPIPE.
func Trace(ctx context.Context, program *exec.Cmd, hide bool) ([]Span, error) {
	t := &tracer{hide: hide, calls: true, spans: spans{maxSpans: maxSpans, maxReads: maxReads}}
	err := t.run(ctx, program)
	return t.marked(), err
}

// Run starts a program and returns when it has ended. The vDSO is hidden from the program and from
// each program that it becomes or starts. The program runs at full speed: it stops only where a
// process or thread starts, a program starts, or a signal arrives. What applies to the arguments of
// [Trace] applies here too.
func Run(ctx context.Context, program *exec.Cmd) error {
	t := &tracer{hide: true}
	return t.run(ctx, program)
}

// A tracer follows one program. All its methods after start run on one locked thread, because the
// kernel accepts the requests and the waiting of the thread that started the program only.
type tracer struct {
	hide  bool // the vDSO
	calls bool // stop at system calls

	root    int             // the process that was started
	threads map[int]*tracee // all that were seen and did not end, by thread id
	status  unix.WaitStatus // of root, when it has ended
	ending  bool            // everything is killed, and nothing continues
	fault   error           // the first thing that went wrong
	info    *syscallInfo    // on the heap, see request_linux.go
	spans
}

// A tracee is a thread of the program.
type tracee struct {
	fresh    bool      // the SIGSTOP is still to come that the kernel sends to a new tracee
	span     *openSpan // nil before the first mark
	tid, pid int32     // see ids
}

func (t *tracer) run(ctx context.Context, program *exec.Cmd) error {
	if err := Usable(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("the program was not started: %w", context.Cause(ctx))
	}
	var err error
	onOwnThread(func() { err = t.trace(ctx, program) })
	return err
}

// trace starts the program on the calling thread, and returns when all its processes are gone.
func (t *tracer) trace(ctx context.Context, program *exec.Cmd) error {
	if err := t.start(program); err != nil {
		return err
	}
	// follow takes the status of the program, so the error of Wait means nothing. Wait still waits for the goroutines
	// that copy the output. If something else holds a pipe open, WaitDelay closes it.
	defer func() {
		_ = program.Wait()
		_ = program.Process.Release()
	}()
	if err := t.prepare(program); err != nil {
		t.fail(err)
	} else {
		t.resume(t.root, 0)
	}
	killed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(killed)
		// By a pidfd: its number may be reused by now. The end of the process wakes up the wait in follow, which kills the rest.
		_ = program.Process.Kill()
	})
	t.follow(ctx)
	if !stop() {
		<-killed
	}
	return t.result(ctx)
}

// start starts the program as a tracee of the calling thread: the child calls PTRACE_TRACEME, and
// stops at the end of execve(2).
func (t *tracer) start(program *exec.Cmd) error {
	var attributes syscall.SysProcAttr
	if program.SysProcAttr != nil {
		attributes = *program.SysProcAttr
	}
	attributes.Ptrace = true
	// In a session of its own it can neither read nor change the terminal, nor has it a signal of it.
	attributes.Setsid = true
	// Until prepare sets PTRACE_O_EXITKILL, the program would continue if timebench were killed.
	attributes.Pdeathsig = unix.SIGKILL
	program.SysProcAttr = &attributes
	if program.WaitDelay == 0 {
		program.WaitDelay = outputDelay
	}
	if err := program.Start(); err != nil {
		return err
	}
	t.info = new(syscallInfo)
	t.root = program.Process.Pid
	t.threads = map[int]*tracee{t.root: {}}
	return nil
}

// errEarly means that the program did not come to its first instruction.
var errEarly = errors.New("the program ended before its first instruction")

// prepare waits until the new program has stopped before its first instruction, and prepares it for
// the trace.
func (t *tracer) prepare(program *exec.Cmd) error {
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK |
		unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_EXITKILL
	_, status, err := wait(t.root)
	switch {
	case err != nil:
		return fmt.Errorf("wait4(2): %w", err)
	case !status.Stopped():
		t.ended(t.root, status)
		return fmt.Errorf("%w: %s", errEarly, ending(status))
	case status.StopSignal() != unix.SIGTRAP:
		return fmt.Errorf("the program stopped with signal %d before its first instruction", status.StopSignal())
	}
	// follow reaps the program, and Kill may come later: without a pidfd it would take the number.
	if err := program.Process.WithHandle(func(uintptr) {}); err != nil {
		return fmt.Errorf("pidfd_open(2): %w", err)
	}
	if err := unix.PtraceSetOptions(t.root, options); err != nil {
		return fmt.Errorf("PTRACE_SETOPTIONS: %w", err)
	}
	return t.execed(t.root)
}

// wait returns the next change of a child or tracee of this thread: of one, or of any with -1. WALL
// includes threads, and processes that do not report their end with SIGCHLD. WNOTHREAD excludes the
// children of the other threads of timebench.
func wait(which int) (tid int, status unix.WaitStatus, err error) {
	for {
		tid, err = unix.Wait4(which, &status, unix.WALL|unix.WNOTHREAD, nil)
		if !errors.Is(err, unix.EINTR) {
			return tid, status, err
		}
	}
}

// follow handles each change of the program, and returns when this thread has no children and
// tracees any more.
//
// It waits for all of them at once: while a thread calls execve(2), the kernel waits until the tracer
// has taken the status of each other thread (de_thread in fs/exec.c), and reports the main thread
// only after that.
//
// When everything is killed, this ends too: the child of a tracee is a tracee before it runs, and there is
// none if the parent has been killed (copy_process in kernel/fork.c).
func (t *tracer) follow(ctx context.Context) {
	for {
		if t.ending {
			killChildren()
		}
		tid, status, err := wait(-1)
		if err != nil { // ECHILD
			return
		}
		if status.Stopped() {
			t.stopped(tid, status)
		} else {
			t.ended(tid, status)
		}
		if !t.ending && ctx.Err() != nil {
			t.kill()
		}
	}
}

// killChildren kills the children of this thread, which starts nothing but the program. They are no tracees if
// the program made them with CLONE_UNTRACED and CLONE_PARENT, clone(2).
func killChildren() {
	for _, pid := range process.ChildrenIn("/proc/thread-self") {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// ended forgets a thread. With the program that was started, everything ends. The kernel reports
// the main thread of a process last.
func (t *tracer) ended(tid int, status unix.WaitStatus) {
	delete(t.threads, tid)
	if tid == t.root {
		t.status = status
		t.kill()
	}
}

// kill kills all processes. An id is used again only after wait4 has returned its end, except the former id of a thread
// that has called execve(2), which replaced removes at the next report.
func (t *tracer) kill() {
	t.ending = true
	for tid := range t.threads {
		_ = unix.Kill(tid, unix.SIGKILL)
	}
}

func (t *tracer) fail(err error) {
	t.blame(err)
	t.kill()
}

// blame keeps the first reason. A thread that is no more has been killed, which is not one.
func (t *tracer) blame(err error) {
	if t.fault == nil && !errors.Is(err, unix.ESRCH) {
		t.fault = err
	}
}

// stopped handles a stop of a thread, and continues it. The kinds of stops are those of ptrace(2).
func (t *tracer) stopped(tid int, status unix.WaitStatus) {
	if t.ending {
		// It may have been made after kill.
		_ = unix.Kill(tid, unix.SIGKILL)
		return
	}
	thread := t.threads[tid]
	if thread == nil {
		// A new tracee reports itself, sometimes before the event of its parent. So the events of
		// clone, fork and vfork are not used. Another signal may come before its SIGSTOP.
		thread = &tracee{fresh: true}
		t.threads[tid] = thread
	}
	const syscallStop = unix.SIGTRAP | 0x80 // PTRACE_O_TRACESYSGOOD
	deliver := syscall.Signal(0)
	switch signal := status.StopSignal(); {
	case signal == syscallStop:
		t.called(tid, thread)
	case signal == unix.SIGTRAP && status.TrapCause() == unix.PTRACE_EVENT_EXEC:
		t.replaced(tid)
	case signal == unix.SIGTRAP && status.TrapCause() != 0:
	case signal == unix.SIGSTOP && thread.fresh:
		thread.fresh = false
	default: // a signal of the program, which may be a SIGTRAP too
		deliver = signal
	}
	if !t.ending {
		t.resume(tid, deliver)
	}
}

// resume continues a stopped thread and delivers a signal to it, if it is not 0. No program stays stopped: a stop signal
// stops the thread a second time, and then the kernel ignores it (do_jobctl_trap in kernel/signal.c).
func (t *tracer) resume(tid int, signal syscall.Signal) {
	if t.calls {
		t.blame(unix.PtraceSyscall(tid, int(signal)))
	} else {
		t.blame(unix.PtraceCont(tid, int(signal)))
	}
}

// replaced handles a successful execve(2). If a thread other than the main one made the call, it
// has the id of the main one now. Its former id is that of no thread, without another report.
func (t *tracer) replaced(tid int) {
	if former, err := unix.PtraceGetEventMsg(tid); err == nil {
		delete(t.threads, int(former))
	}
	t.threads[tid] = &tracee{}
	t.blame(t.execed(tid))
}

// otherBits is the width of the other programs that a kernel runs.
const otherBits = 32 + 64 - 8*wordSize

// execed hides the vDSO from a program that has not run yet. The process has one thread, which is stopped, and shares
// its memory with no other process, so nobody changes the stack meanwhile.
func (t *tracer) execed(tid int) error {
	if err := t.info.read(tid); err != nil {
		return err
	}
	if native.AuditArch == 0 {
		return errors.New("the clock reads of programs are not traced on this CPU")
	}
	if t.info.arch != native.AuditArch {
		return fmt.Errorf("process %d is a %d-bit program: its clock reads are not traced", tid, otherBits)
	}
	if !t.hide {
		return nil
	}
	entry, err := vdsoEntry(func(address uint64) (uint64, error) { return peek(tid, address) }, t.info.stack)
	if err == nil && entry != 0 {
		err = poke(tid, entry, atIgnore)
	}
	if err != nil {
		return fmt.Errorf("the vDSO cannot be hidden from process %d: %w", tid, err)
	}
	return nil
}

// called handles a stop at a system call. A read is counted at the entry. So the order of reads and
// marks of a thread is that of its calls.
func (t *tracer) called(tid int, thread *tracee) {
	if err := t.info.read(tid); err != nil {
		t.blame(err)
		return
	}
	if t.info.op != unix.PTRACE_SYSCALL_INFO_ENTRY || t.info.arch != native.AuditArch {
		return
	}
	if name := readOf(t.info, func() (int32, int32) { return thread.ids(tid) }); name != "" {
		if thread.span != nil {
			t.add(thread.span, name)
		}
	} else if mark, ok := markIn(tid, t.info.args[:]); ok {
		thread.span = t.open(thread.span, mark)
	}
	if t.full() {
		t.fail(fmt.Errorf("the program made more than %d marks or %d clock reads", t.maxSpans, t.maxReads))
	}
}

func (t *tracer) result(ctx context.Context) error {
	switch {
	case t.fault != nil:
		return t.fault
	case ctx.Err() != nil && !t.status.Exited():
		return fmt.Errorf("the program was killed: %w", context.Cause(ctx))
	case t.status.Exited() && t.status.ExitStatus() == 0:
		return nil
	default:
		return errors.New(ending(t.status))
	}
}

func ending(status unix.WaitStatus) string {
	if status.Signaled() {
		return fmt.Sprintf("killed by signal %d (%s)", status.Signal(), unix.SignalName(status.Signal()))
	}
	return fmt.Sprintf("exit status %d", status.ExitStatus())
}
