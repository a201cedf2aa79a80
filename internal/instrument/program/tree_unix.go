//go:build unix && !linux

package program

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// A tree is a program and its descendants: the process group of the session that the program leads.
type tree struct{ cmd *exec.Cmd }

func newTree(cmd *exec.Cmd) (*tree, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setsid = true // it can neither read nor change the terminal of timebench
	return &tree{cmd}, nil
}

func (t *tree) start() error { return t.cmd.Start() }

func (t *tree) wait() { _ = t.cmd.Wait() }

// end kills the process group. While the group has a process, its number is not reused. If it has
// none, the number became free with the exit of the program, some microseconds ago. The systems do not
// reuse a number at once.
func (t *tree) end() error {
	_ = unix.Kill(-t.cmd.Process.Pid, unix.SIGKILL)
	return nil
}

func (t *tree) reap() {}

func (t *tree) close() {}
