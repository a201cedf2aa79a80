package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/timebench/timebench/internal/system/process"
	"golang.org/x/sys/unix"
)

// StartCommand is the hidden command of timebench that starts another program when it is told to.
const StartCommand = "start-profiled"

// A child is a command that waits for its start, then runs. Until then it is timebench itself, so
// the events are there before the first instruction of the command.
type child struct {
	command *exec.Cmd
	gate    *os.File
	failure *os.File // where it says why it cannot become the command; closed when it has
	begun   bool
	ended   chan struct{} // closed when it has ended
}

// start starts a process that waits. Its standard output and error go to output.
func start(command []string, output *os.File) (*child, error) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return nil, fmt.Errorf("the command cannot be started: %w", err)
	}
	if _, err := process.Self(); err != nil {
		return nil, err
	}
	wait, gate, err := os.Pipe()
	if err != nil {
		return nil, explained(err)
	}
	failure, why, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(explained(err), wait.Close(), gate.Close())
	}
	c := &child{command: exec.Command("/proc/self/exe", append([]string{StartCommand, path}, command...)...), gate: gate, failure: failure, ended: make(chan struct{})}
	c.command.Stdin, c.command.Stdout, c.command.Stderr, c.command.ExtraFiles = os.Stdin, output, output, []*os.File{wait, why}
	// The command ends with timebench, however that ends. The signal comes at the end of the thread
	// that started it, which therefore waits for it.
	c.command.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.command.Start()
		started <- err
		if err == nil {
			_ = c.command.Wait() // its state has the exit status
			close(c.ended)
		}
	}()
	err = errors.Join(<-started, wait.Close(), why.Close())
	if err != nil {
		return nil, errors.Join(explained(fmt.Errorf("the command cannot be started: %w", err)), gate.Close(), failure.Close())
	}
	return c, nil
}

func (c *child) pid() int { return c.command.Process.Pid }

// begin lets the command begin. The context that it returns ends when the command does. An error is why
// the command cannot be started.
func (c *child) begin(ctx context.Context) (context.Context, func(), error) {
	c.begun = true
	_, _ = c.gate.Write([]byte{1}) // if it fails, the process has ended
	_ = c.gate.Close()
	why, err := io.ReadAll(c.failure)
	_ = c.failure.Close()
	if err != nil || len(why) > 0 {
		<-c.ended
		return nil, nil, fmt.Errorf("the command cannot be started: %s", cmp.Or(string(why), fmt.Sprint(err)))
	}
	ctx, stop := context.WithCancel(ctx)
	go func() {
		select {
		case <-c.ended:
		case <-ctx.Done():
		}
		stop()
	}()
	return ctx, stop, nil
}

// end ends the command if it still runs: with SIGTERM, and after two seconds with SIGKILL. It returns the exit
// status as a shell does, and 0 if timebench ended it, or if c is nil.
func (c *child) end() int {
	if c == nil {
		return 0
	}
	if !c.begun { // it is timebench itself
		_ = c.command.Process.Kill()
		<-c.ended
		_, _ = c.gate.Close(), c.failure.Close()
		return 0
	}
	select {
	case <-c.ended:
		if status := c.command.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
			return 128 + int(status.Signal())
		}
		return c.command.ProcessState.ExitCode()
	default:
	}
	_ = c.command.Process.Signal(unix.SIGTERM) // if it fails, the process has ended
	select {
	case <-c.ended:
	case <-time.After(2 * time.Second):
		_ = c.command.Process.Kill()
		<-c.ended
	}
	return 0
}

// cpuTime returns the CPU time of the command, which has ended, and that of the processes it waited for.
func (c *child) cpuTime() time.Duration {
	if c == nil || c.command.ProcessState == nil {
		return 0
	}
	return c.command.ProcessState.UserTime() + c.command.ProcessState.SystemTime()
}

// Start waits until the profile has begun, and then becomes the program of the command: arguments
// are its path and its arguments with its name. It returns only if that fails; reported is whether the
// process that profiles reports the error.
func Start(arguments []string) (reported bool, err error) {
	const gate, failure = 3, 4 // those of exec.Cmd.ExtraFiles
	wait, why := os.NewFile(gate, "gate"), os.NewFile(failure, "failure")
	unix.CloseOnExec(failure)
	if n, err := wait.Read(make([]byte, 1)); n != 1 || len(arguments) < 2 {
		return false, fmt.Errorf("this command is for `timebench profile` only: %w", cmp.Or(err, errors.New("it has no command")))
	}
	if err := wait.Close(); err != nil {
		return false, err
	}
	// execve(2) keeps the thread that calls it, and its signal for the end of the parent; the one of
	// exec.Cmd is that of the first thread.
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return false, fmt.Errorf("PR_SET_PDEATHSIG: %w", err)
	}
	err = fmt.Errorf("%s: %w", arguments[0], unix.Exec(arguments[0], arguments[1:], os.Environ()))
	_, unsaid := why.WriteString(err.Error())
	return unsaid == nil, err
}
