package ptrace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/timebench/timebench/internal/machine/native"
	"github.com/timebench/timebench/internal/system/procfile"
	"github.com/timebench/timebench/internal/system/program"
	"golang.org/x/sys/unix"
)

// tryHidden is the task that hides the vDSO and ends before the first instruction.
const tryHidden Task = "try"

// Trace runs a program with limits, as [program.Run] does, and returns a span for each mark that was followed by
// another mark of the same thread, in the order of those.
//
// The spans of a program that fails are valid. There are no spans of a program that exceeds a limit.
func Trace(ctx context.Context, task Task, command *exec.Cmd, limits program.Limits) ([]Span, error) {
	if err := Usable(); err != nil {
		return nil, err
	}
	return traced(ctx, task, command, limits)
}

// A report is the result of a tracer. It writes the report at its end, to a pipe that the program has no descriptor of.
type report struct {
	Spans []Span `json:"spans"`
	Error string `json:"error"`
}

// The limits of one trace. A program that exceeds a limit is killed.
const (
	maxSpans = 100_000
	maxReads = 1_000_000
	maxMark  = 255 // bytes
)

// maxReport is the maximum size of a report in bytes, a little more than maxSpans and maxReads allow.
const maxReport = 256 << 20

// traced runs a program under a tracer, another process of timebench.
func traced(ctx context.Context, task Task, command *exec.Cmd, limits program.Limits) ([]Span, error) {
	if command.Err != nil {
		return nil, command.Err
	}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }()
	reports := make(chan report, 1)
	go func() {
		var r report
		_ = json.NewDecoder(io.LimitReader(out, maxReport)).Decode(&r)
		reports <- r
	}()
	tracer := program.Role(Role, slices.Concat([]string{string(task), command.Path}, command.Args)...)
	tracer.Stdin, tracer.Stdout, tracer.Env, tracer.Dir = command.Stdin, command.Stdout, command.Env, command.Dir
	tracer.ExtraFiles = []*os.File{in}
	_, err = program.Run(ctx, tracer, limits)
	command.ProcessState = tracer.ProcessState
	_ = in.Close()
	_ = out.SetReadDeadline(time.Now().Add(time.Second)) // the writers have ended
	r := <-reports
	if r.Error != "" && err != nil {
		// The error of Run says how the tracer ended, and what the program printed.
		if _, line, found := strings.Cut(err.Error(), ": "); found {
			r.Error += ": " + line
		}
		err = errors.New(r.Error)
	}
	return r.Spans, err
}

// Follow is the role of a tracer. Its arguments are its task, the path of the program, and the arguments of the
// program, which begin with its name. When it ends, the kernel kills the processes that it traces (PTRACE_O_EXITKILL),
// and its runner kills the others.
func Follow(args []string) error {
	const reports = 3 // the first of exec.Cmd.ExtraFiles
	const fewest = 3
	if len(args) < fewest {
		return errors.New("there is no program to trace")
	}
	unix.CloseOnExec(reports)
	runtime.LockOSThread() // the kernel accepts the requests of the thread that started the program only
	task := Task(args[0])
	t := &tracer{hide: task != Visible && task != Waits, waits: task == Waits}
	t.calls = t.waits || task == Hidden || task == Visible
	err := t.start(&exec.Cmd{Path: args[1], Args: args[2:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	if err == nil && task != tryHidden {
		err = t.follow()
	}
	r := report{Spans: t.all}
	if err != nil {
		r.Error = err.Error()
		if task == tryHidden {
			r.Error = reason(err, procfile.Field)
		}
	}
	if unsaid := json.NewEncoder(os.NewFile(reports, "report")).Encode(r); unsaid != nil {
		return unsaid
	}
	if err != nil {
		os.Exit(1) // the parent reports it
	}
	return nil
}

// A tracer follows one program. All its methods run on one locked thread, which starts nothing else.
type tracer struct {
	hide  bool // the vDSO
	calls bool // stop at system calls
	waits bool // keep the timed system calls, not the reads

	root    int             // the process that was started
	threads map[int]*tracee // all that were seen and did not end, by thread id
	fault   error           // the first thing that went wrong
	info    *syscallInfo    // on the heap, see request_linux.go
	all     []Span          // those that a mark of the same thread followed
	nReads  int             // of open spans too
}

// A tracee is a thread of the program.
type tracee struct {
	fresh bool  // the SIGSTOP is still to come that the kernel sends to a new tracee
	span  *Span // nil before the first mark
}

// errEarly means that the program did not come to its first instruction.
var errEarly = errors.New("the program ended before its first instruction")

// start starts the program as a tracee of the calling thread: the child calls PTRACE_TRACEME, and stops at the end of
// execve(2), before its first instruction. It prepares the program for the trace.
func (t *tracer) start(command *exec.Cmd) error {
	command.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := command.Start(); err != nil {
		return err
	}
	t.info, t.root = new(syscallInfo), command.Process.Pid
	t.threads = map[int]*tracee{t.root: {}}
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK |
		unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_EXITKILL
	_, status, err := wait(t.root)
	switch {
	case err != nil:
		return fmt.Errorf("wait4(2): %w", err)
	case !status.Stopped():
		return fmt.Errorf("%w: %s", errEarly, ending(status))
	case status.StopSignal() != unix.SIGTRAP:
		return fmt.Errorf("the program stopped with signal %d before its first instruction", status.StopSignal())
	}
	if err := unix.PtraceSetOptions(t.root, options); err != nil {
		return fmt.Errorf("PTRACE_SETOPTIONS: %w", err)
	}
	return t.execed(t.root)
}

// wait returns the next change of a child or tracee; of any of them if which is -1. WALL includes threads, and
// processes that do not report their end with SIGCHLD.
func wait(which int) (tid int, status unix.WaitStatus, err error) {
	for {
		tid, err = unix.Wait4(which, &status, unix.WALL, nil)
		if !errors.Is(err, unix.EINTR) {
			return tid, status, err
		}
	}
}

// follow handles each change of the program until it has ended, and returns its error; nil for success.
//
// It waits for all threads of the program at once: while a thread calls execve(2), the kernel waits until the tracer
// has taken the status of each other thread (de_thread in fs/exec.c), and reports the main thread only after that.
func (t *tracer) follow() error {
	t.resume(t.root, 0)
	for t.fault == nil {
		tid, status, err := wait(-1)
		switch {
		case err != nil:
			return fmt.Errorf("wait4(2): %w", err)
		case status.Stopped():
			t.stopped(tid, status)
		case tid == t.root: // the kernel reports the main thread of a process last
			if status.Exited() && status.ExitStatus() == 0 {
				return nil
			}
			return errors.New(ending(status))
		default:
			delete(t.threads, tid)
		}
	}
	return t.fault
}

// blame keeps the first reason. A thread that has ended was killed, which is no reason.
func (t *tracer) blame(err error) {
	if t.fault == nil && !errors.Is(err, unix.ESRCH) {
		t.fault = err
	}
}

// stopped handles a stop of a thread, and continues it. ptrace(2) lists the kinds of stops.
func (t *tracer) stopped(tid int, status unix.WaitStatus) {
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
	t.resume(tid, deliver)
}

// resume continues a stopped thread and delivers a signal to it, unless the signal is 0. No program stays stopped: a
// stop signal stops the thread a second time, and then the kernel ignores it (do_jobctl_trap in kernel/signal.c).
func (t *tracer) resume(tid int, signal syscall.Signal) {
	if t.calls {
		t.blame(unix.PtraceSyscall(tid, int(signal)))
	} else {
		t.blame(unix.PtraceCont(tid, int(signal)))
	}
}

// replaced handles a successful execve(2). If another thread than the main one made the call, it now has the main
// thread's id. Its former id is gone, and the kernel does not report that.
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
// its memory with no other process, so the stack does not change in the meantime.
func (t *tracer) execed(tid int) error {
	if err := t.info.read(tid); err != nil {
		return err
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

// called handles a stop at a system call. A read is counted at the entry, so the reads and
// marks of a thread are in the order of its calls.
func (t *tracer) called(tid int, thread *tracee) {
	if err := t.info.read(tid); err != nil {
		t.blame(err)
		return
	}
	if t.info.op != unix.PTRACE_SYSCALL_INFO_ENTRY || t.info.arch != native.AuditArch {
		return
	}
	if wait, ok := waitOf(tid, t.info); t.waits && ok {
		for _, other := range t.threads {
			if other.span != nil {
				other.span.Waits = append(other.span.Waits, wait)
				t.nReads++
			}
		}
	} else if name := readOf(t.info); name != "" {
		if thread.span != nil {
			thread.span.Reads = append(thread.span.Reads, name)
			t.nReads++
		}
	} else if mark, ok := markIn(tid, t.info.args[:]); ok {
		if thread.span != nil {
			t.all = append(t.all, *thread.span)
		}
		thread.span = &Span{Mark: mark}
	}
	if len(t.all) > maxSpans || t.nReads > maxReads {
		t.blame(fmt.Errorf("the program made more than %d marks or %d clock reads", maxSpans, maxReads))
	}
}

func ending(status unix.WaitStatus) string {
	if status.Signaled() {
		return fmt.Sprintf("killed by signal %d (%s)", status.Signal(), unix.SignalName(status.Signal()))
	}
	return fmt.Sprintf("exit status %d", status.ExitStatus())
}
