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
	unix.CloseOnExec(socketFD)
	for fd := range int(files) {
		unix.CloseOnExec(firstFD + fd)
		command.ExtraFiles = append(command.ExtraFiles, os.NewFile(uintptr(firstFD+fd), "inherited"))
	}
	// A signal that the program sends ends no runner. Ignored ones would be ignored by the program too.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals)
	runtime.LockOSThread() // PR_SET_PDEATHSIG is about the thread that starts the program
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("PR_SET_CHILD_SUBREAPER: %w", err)
	}
	r, socket := &runner{}, os.NewFile(socketFD, "socket")
	var errno syscall.Errno
	switch err := command.Start(); {
	case errors.As(err, &errno):
		r.result.Errno = errno
	case err != nil:
		return err
	default:
		r.program = command.Process.Pid
		told := make(chan struct{})
		go func() {
			_, _ = socket.Read(make([]byte, 1))
			close(told)
		}()
		r.follow(signals, told)
	}
	return json.NewEncoder(socket).Encode(r.result)
}

// A runner is the process that starts and ends a program.
type runner struct {
	program int
	result  runReport
}

// follow reaps all children. When the program has ended, or timebench has or asks for it, it kills them again and
// again, since their own children become children, until the last one has ended or some do not end.
func (r *runner) follow(signals <-chan os.Signal, told <-chan struct{}) {
	for begun := true; begun && r.reap() && !r.result.Ended; {
		select {
		case <-signals: // of the end of a child
		case <-told:
			begun = false
		}
	}
	_, unlisted := process.Self()
	for start := time.Now(); r.reap(); {
		var alive int
		var err error
		switch {
		case unlisted == nil:
			alive, err = killChildren()
		case !r.result.Ended:
			alive, err = 1, unix.Kill(r.program, unix.SIGKILL)
		default:
			return
		}
		waited := time.Since(start)
		if waited > dying || waited > grace && (alive == 0 || errors.Is(err, unix.EPERM)) {
			r.result.Left = "its processes cannot be ended: each one starts another and exits"
			if alive > 0 {
				r.result.Left = fmt.Sprintf("%d of its processes cannot be ended: %v", alive, err)
			}
			return
		}
		select {
		case <-signals:
		case <-time.After(time.Millisecond):
		}
	}
}

// reap takes the status of all children that have ended. It returns false if no child is left.
func (r *runner) reap() bool {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG|unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil: // ECHILD
			return false
		case pid == 0:
			return true
		case pid == r.program:
			r.result.Status, r.result.Ended = status, true
		}
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
