package profile

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/timebench/timebench/internal/system/folder"
	"github.com/timebench/timebench/internal/system/process"
	"github.com/timebench/timebench/internal/system/program"
	"golang.org/x/sys/unix"
)

// start starts the command. Its standard output and error go to output.
func start(command []string, output *os.File) (*program.Child, error) {
	c := exec.Command(command[0], command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, output, output
	child, err := program.Start(context.Background(), c)
	if err != nil {
		return nil, fmt.Errorf("the command cannot be started: %s: %w", command[0], folder.SystemError(err))
	}
	return child, nil
}

// patience is the max time that a command may take to end after SIGTERM.
const patience = 2 * time.Second

// end ends the command and the processes that it started if they still run: with SIGTERM, then with SIGKILL. It returns
// how the command ended, and its exit status as a shell does: 0 if timebench ended it, or if c is nil.
func end(c *program.Child) (state *os.ProcessState, status int) {
	if c == nil {
		return nil, 0
	}
	select {
	case <-c.Ended():
		state = c.Close()
		if status := state.Sys().(syscall.WaitStatus); status.Signaled() {
			return state, 128 + int(status.Signal())
		}
		return state, state.ExitCode()
	default:
	}
	// A process whose parent ends stops being a descendant.
	descendants := process.Descendants([]int{c.PID()}, os.Getpid())
	signal(c, unix.SIGTERM, descendants)
	select {
	case <-c.Ended():
	case <-time.After(patience):
		descendants = append(descendants, process.Descendants([]int{c.PID()}, os.Getpid())...)
	}
	signal(c, unix.SIGKILL, descendants)
	return c.Close(), 0
}

// signal sends a signal to the command and to its descendants that live.
func signal(c *program.Child, signal unix.Signal, descendants []process.ProcStat) {
	c.Signal(signal)
	for _, stat := range descendants {
		if process.Of(stat).Check() == nil {
			_ = unix.Kill(stat.PID, signal) // if it fails, the process has ended
		}
	}
}
