package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/timebench/timebench/internal/system/process"
	"golang.org/x/sys/unix"
)

// runProgram is the role of a runner. The arguments are the number of further descriptors, the path of the program and
// its own arguments.
func runProgram(args []string) error {
	if len(args) < 3 {
		return errors.New("there is no program to run")
	}
	files, err := strconv.ParseUint(args[0], 10, 8)
	if err != nil {
		return err
	}
	command := &exec.Cmd{
		Path: args[1], Args: args[2:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		SysProcAttr: &unix.SysProcAttr{Pdeathsig: unix.SIGKILL},
	}
	for fd := range int(files) + firstFD - controlFD {
		unix.CloseOnExec(controlFD + fd)
		if controlFD+fd >= firstFD {
			command.ExtraFiles = append(command.ExtraFiles, os.NewFile(uintptr(controlFD+fd), "inherited"))
		}
	}
	// A signal that the program sends ends no runner. Ignored ones would be ignored by the program too.
	signal.Notify(make(chan os.Signal, 1))
	runtime.LockOSThread() // PR_SET_PDEATHSIG is about the thread that starts the program
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("PR_SET_CHILD_SUBREAPER: %w", err)
	}
	r := &runner{reports: os.NewFile(reportFD, "report")}
	if err := command.Start(); err != nil {
		var errno syscall.Errno
		if !errors.As(err, &errno) {
			return err
		}
		r.report(runReport{Errno: errno})
		return nil
	}
	r.program = command.Process.Pid
	told := make(chan struct{})
	go func() {
		_, _ = os.NewFile(controlFD, "control").Read(make([]byte, 1))
		close(told)
	}()
	r.follow(told)
	return nil
}

// A runner is the process that starts and ends a program.
type runner struct {
	reports *os.File
	program int
	// reaping excludes that a child is reaped, and that its number is used again, while it is killed.
	reaping sync.Mutex
	result  runReport
}

func (r *runner) report(result runReport) { _ = json.NewEncoder(r.reports).Encode(result) }

// follow reaps all children, and reports. They are killed when the program or the control pipe has ended.
func (r *runner) follow(told <-chan struct{}) {
	ended := make(chan struct{})
	go func() {
		select {
		case <-ended:
		case <-told:
		}
		r.killAll()
	}()
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOWAIT|unix.WALL, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		r.reaping.Lock()
		if err != nil { // ECHILD
			r.report(r.result)
			return // with the mutex: killAll does not report
		}
		wasEnded := r.result.Ended
		r.reap()
		r.reaping.Unlock()
		if r.result.Ended && !wasEnded {
			close(ended)
		}
	}
}

// reap takes the status of all children that have ended.
func (r *runner) reap() {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG|unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil || pid == 0:
			return
		case pid == r.program:
			r.result.Status, r.result.Ended = status, true
		}
	}
}

// killAll kills the children again and again, since their own children become children. follow ends the process after
// the last child; killAll ends it, with a report, if some children do not end.
func (r *runner) killAll() {
	_, unlisted := process.Self()
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		r.reaping.Lock()
		alive, err := 0, unlisted
		switch {
		case unlisted == nil:
			alive, err = killChildren()
		case !r.result.Ended:
			alive, err = 1, unix.Kill(r.program, unix.SIGKILL)
		default:
			r.report(r.result)
			os.Exit(0)
		}
		waited := time.Since(start)
		if waited > dying || waited > grace && (alive == 0 || errors.Is(err, unix.EPERM)) {
			r.result.Left = "its processes cannot be ended: each one starts another and exits"
			if alive > 0 {
				r.result.Left = fmt.Sprintf("%d of its processes cannot be ended: %v", alive, err)
			}
			r.report(r.result)
			os.Exit(0)
		}
		r.reaping.Unlock()
	}
}

// killChildren kills the children of this process. It returns how many were alive, and why a child may not end: EPERM
// if killing it is forbidden.
func killChildren() (alive int, left error) {
	for _, pid := range process.Children() {
		stat, err := process.Stat(pid)
		if err != nil || process.Ended(stat) {
			continue
		}
		alive++
		if err := unix.Kill(pid, unix.SIGKILL); err != nil {
			left = fmt.Errorf("killing process %d (%q): %w", pid, stat.Comm, err)
		} else if !errors.Is(left, unix.EPERM) {
			left = fmt.Errorf("process %d (%q) does not exit, its state is %s", pid, stat.Comm, stat.State)
		}
	}
	return alive, left
}
