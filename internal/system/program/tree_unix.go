//go:build unix && !linux

package program

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// A tree is a program and its descendants: the process group of the session that the program leads.
type tree struct {
	command *exec.Cmd
	state   *os.ProcessState
}

func startTree(command *exec.Cmd) (*tree, error) {
	ownSession(command) // it can neither read nor change the terminal of timebench
	return &tree{command: command}, command.Start()
}

// end kills the process group. While the group has a process, its number is not reused. For an empty group, the number
// became free with the exit of the program, some microseconds ago. The systems do not reuse a number at once.
func (t *tree) end() error {
	_ = unix.Kill(-t.command.Process.Pid, unix.SIGKILL)
	return nil
}

func (t *tree) close() {}

// endWithParent does nothing: a role ends at the end of its standard input.
func endWithParent(*exec.Cmd) {}

func ownSession(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// collect reads the outputs, after wait and end. It does not wait long for a process that left the session and holds
// one open.
func (t *tree) collect() error {
	_ = t.command.Wait() // its error is always that the process was waited for before
	t.command.ProcessState = t.state
	return nil
}
