package profile

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/timebench/timebench/internal/system/process"
	"github.com/timebench/timebench/internal/system/program"
	"golang.org/x/sys/unix"
)

// A child is a command that waits at a gate until Begin.
type child struct{ *program.Child }

// start starts a process that becomes the command when its gate opens. Until then it is timebench itself, so the events
// exist before the first instruction of the command. Its standard output and error go to output.
func start(command []string, output *os.File) (*child, error) {
	if _, err := process.Self(); err != nil {
		return nil, err
	}
	c := exec.Command(command[0], command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, output, output
	gated, err := program.StartGated(context.Background(), c)
	if err != nil {
		return nil, fmt.Errorf("the command cannot be started: %w", explained(err))
	}
	return &child{gated}, nil
}

// patience is the max time that a command may take to end after SIGTERM.
const patience = 2 * time.Second

// end ends the command and the processes that it started if they still run: with SIGTERM, then with SIGKILL. It returns
// how the command ended, and its exit status as a shell does: 0 if timebench ended it, or if c is nil.
func (c *child) end() (state *os.ProcessState, status int) {
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
	if c.Waits() { // it is timebench itself
		c.Kill()
		return c.Close(), 0
	}
	// A process whose parent ends stops being a descendant.
	descendants := c.descendants()
	c.signal(unix.SIGTERM, descendants)
	select {
	case <-c.Ended():
	case <-time.After(patience):
		descendants = append(descendants, c.descendants()...)
	}
	c.signal(unix.SIGKILL, descendants)
	return c.Close(), 0
}

func (c *child) descendants() []process.ProcStat {
	return process.Descendants([]int{c.PID()}, os.Getpid())
}

// signal sends a signal to the command and to its descendants that live.
func (c *child) signal(signal unix.Signal, descendants []process.ProcStat) {
	c.Signal(signal)
	for _, stat := range descendants {
		if process.Of(stat).Check() == nil {
			_ = unix.Kill(stat.PID, signal) // if it fails, the process has ended
		}
	}
}
