//go:build !linux

package program

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"syscall"
)

// ownRoles is empty: this package needs roles on Linux only.
var ownRoles Roles

// OnStarter calls do. Only Linux ties a process to the thread that started it.
func OnStarter(do func()) { do() }

// wait returns when the program has ended. Its descendants may hold its outputs open until they are ended.
func (t *tree) wait() { t.state, _ = t.command.Process.Wait() }

// outcome returns how the program ended: "" for success. The program must have ended.
func (t *tree) outcome(command *exec.Cmd) (how string, err error) {
	state := command.ProcessState
	if state == nil {
		return "", errors.New("its exit status is unknown")
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return fmt.Sprintf("killed by signal %d", int(status.Signal())), nil
	}
	if state.Success() {
		return "", nil
	}
	return "exit status " + strconv.Itoa(state.ExitCode()), nil
}
