package program

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/timebench/timebench/internal/system/debuglog"
)

// A Child is a process that [Start] or [StartSurvivor] started.
type Child struct {
	// In and Out are pipes to the standard input and from the standard output; nil if the command has set its own. This
	// process has one end of each pipe, the child the other, so either reads the end when the other ends.
	In, Out *os.File

	command   *exec.Cmd
	wait      func()                 // waits for the end and takes the exit status; it may be called more than once
	ended     func() <-chan struct{} // see Ended
	complaint *output                // nil if the command has set standard error
}

// Start starts a program or a [Role]. It ends with this process, and is killed when ctx ends. The caller must call
// [Child.Close].
//
// The processes that the child starts are its own concern; [Run] ends them.
func Start(ctx context.Context, command *exec.Cmd) (*Child, error) {
	endWithParent(command)
	return start(ctx, command)
}

// StartSurvivor is Start for a role that must outlive this process, and ends by itself soon after it: a pipe from this
// process then ends. In a session of its own it gets no signal of a terminal.
func StartSurvivor(command *exec.Cmd) (*Child, error) {
	ownSession(command)
	return start(context.Background(), command)
}

func start(ctx context.Context, command *exec.Cmd) (_ *Child, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	c := &Child{command: command}
	if command.Stderr == nil {
		c.complaint = newOutput(mostComplaint)
		command.Stderr = debuglog.Through(c.complaint, filepath.Base(command.Path))
	}
	var theirs []*os.File
	defer func() {
		for _, file := range theirs {
			_ = file.Close()
		}
		if err != nil {
			c.closePipes()
		}
	}()
	if command.Stdin == nil {
		read, write, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		command.Stdin, c.In, theirs = read, write, append(theirs, read)
	}
	if command.Stdout == nil {
		read, write, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		command.Stdout, c.Out, theirs = write, read, append(theirs, write)
	}
	OnStarter(func() { err = command.Start() })
	if err != nil {
		return nil, err
	}
	debuglog.Printf("program", "%s started as process %d", command.Path, command.Process.Pid)
	stop := context.AfterFunc(ctx, func() { _ = command.Process.Kill() })
	c.wait = sync.OnceFunc(func() {
		_ = command.Wait() // the state of the process has it
		stop()
	})
	c.ended = sync.OnceValue(func() <-chan struct{} {
		ended := make(chan struct{})
		go func() {
			c.wait()
			close(ended)
		}()
		return ended
	})
	return c, nil
}

// Ended returns a channel that is closed when the process has ended. From the first call on, a thread waits for that.
func (c *Child) Ended() <-chan struct{} { return c.ended() }

// PID returns the number of the process.
func (c *Child) PID() int { return c.command.Process.Pid }

// Signal sends a signal to the process, which may have ended.
func (c *Child) Signal(s os.Signal) { _ = c.command.Process.Signal(s) }

// Kill is Signal with os.Kill.
func (c *Child) Kill() { c.Signal(os.Kill) }

// Close closes the pipes, waits until the process has ended, and returns its state. It may be called more than once.
func (c *Child) Close() *os.ProcessState {
	if c.In != nil {
		_ = c.In.Close()
	}
	c.wait()
	c.closePipes()
	return c.command.ProcessState
}

// Fate is Close for people: "signal: killed", and the first line of standard error.
func (c *Child) Fate() string {
	fate := c.Close().String()
	if c.complaint != nil {
		if line, _, _ := strings.Cut(strings.TrimSpace(string(c.complaint.text)), "\n"); line != "" {
			fate += ": " + line
		}
	}
	return fate
}

// mostComplaint is the number of bytes that are kept of standard error. A crash of Go's runtime prints thousands of
// lines, and the first one says why.
const mostComplaint = 512

func (c *Child) closePipes() {
	for _, pipe := range []*os.File{c.In, c.Out} {
		if pipe != nil {
			_ = pipe.Close()
		}
	}
}
