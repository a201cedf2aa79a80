package profile

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/timebench/timebench/internal/system/process"
	children "github.com/timebench/timebench/internal/system/program"
	"golang.org/x/sys/unix"
)

// A command is the program that is profiled. It waits at a gate, so that the events are there before its first instruction.
type command struct{ *children.Child }

// start starts a process that waits. Its standard output and error go to output.
func start(line []string, output *os.File) (*command, error) {
	if _, err := process.Self(); err != nil {
		return nil, err
	}
	started := exec.Command(line[0], line[1:]...)
	started.Stdin, started.Stdout, started.Stderr = os.Stdin, output, output
	child, err := children.StartGated(context.Background(), started)
	if err != nil {
		return nil, explained(fmt.Errorf("the command cannot be started: %w", err))
	}
	return &command{child}, nil
}

// begin lets the command begin. The context that it returns ends when the command does. An error is why the command cannot
// be started.
func (c *command) begin(ctx context.Context) (context.Context, func(), error) {
	if err := c.Begin(); err != nil {
		return nil, nil, fmt.Errorf("the command cannot be started: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	go func() {
		select {
		case <-c.Ended():
		case <-ctx.Done():
		}
		stop()
	}()
	return ctx, stop, nil
}

// end ends the command if it still runs: with SIGTERM, and after two seconds with SIGKILL. It returns the exit status as a
// shell does, and 0 if timebench ended it, or if c is nil.
func (c *command) end() int {
	if c == nil {
		return 0
	}
	if c.Waits() { // it is timebench itself
		c.Kill()
		c.Close()
		return 0
	}
	select {
	case <-c.Ended():
		state := c.Close()
		if status := state.Sys().(syscall.WaitStatus); status.Signaled() {
			return 128 + int(status.Signal())
		}
		return state.ExitCode()
	default:
	}
	c.Signal(unix.SIGTERM)
	select {
	case <-c.Ended():
	case <-time.After(2 * time.Second):
		c.Kill()
		c.Close()
	}
	return 0
}

// cpuTime returns the CPU time of the command, which has ended, and of the processes it waited for.
func (c *command) cpuTime() time.Duration {
	if c == nil || c.Waits() {
		return 0
	}
	state := c.Close()
	return state.UserTime() + state.SystemTime()
}
