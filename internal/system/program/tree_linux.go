package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// A tree is a program and its descendants. A runner starts and ends them: a process of timebench with the role run.
//
// # Why no process is left
//
// The runner starts only the program, and it is a subreaper, prctl(2): the kernel gives it each descendant whose parent
// ends, also a daemon in another session, without an environment. So its descendants are exactly the processes of the
// program. When the program or timebench has ended, or timebench asks for it, the runner kills its children again and
// again, until wait4(2) reports the end of the last one (ECHILD). Then it has no descendants, and ends.
//
// The runner kills no process of others. It kills its own children only, and the kernel gives the number of a child to
// no other process before the runner has reaped it. One goroutine does both.
//
// # Who holds which descriptor
//
// Timebench has one end of a socket, and the runner the other. The runner reads a byte when timebench asks it to end
// the program, or the end when timebench ends in any way. Timebench reads the report, or the end if the runner was
// killed. Both are close-on-exec, and the program gets none. The runner holds the outputs of the program open until all
// has ended.
//
// # What this does not cover
//
//   - If the program kills the runner (it has the rights of the same user), the kernel kills the program
//     (PR_SET_PDEATHSIG), and its other processes stay.
//   - A process of another user, such as of a set-user-ID program, may be killed by root only. It is reported.
//   - Where /proc does not show the processes by the numbers that the runner knows (another PID namespace), only the
//     program itself is killed.
type tree struct {
	runner *Child
	socket *os.File
}

const runRole = "run"

// Descriptors of a runner, in the order of exec.Cmd.ExtraFiles.
const (
	socketFD = 3 + iota
	firstFD  // of the program's own ExtraFiles
)

// A runReport is what a runner reports about its program.
type runReport struct {
	Errno  syscall.Errno   // why the program did not start
	Status unix.WaitStatus // as wait4(2) returned it
	Ended  bool            // whether the status is known
	Left   string          // why processes are left
}

// startTree starts the program under a runner.
func startTree(command *exec.Cmd) (*tree, error) {
	if command.Err != nil {
		return nil, command.Err
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer func() { _ = theirs.Close() }()
	runner := Role(runRole, slices.Concat([]string{strconv.Itoa(len(command.ExtraFiles)), command.Path},
		command.Args)...)
	runner.Stdin, runner.Stdout, runner.Stderr = command.Stdin, command.Stdout, command.Stderr
	runner.Env, runner.Dir, runner.WaitDelay = command.Env, command.Dir, command.WaitDelay
	runner.ExtraFiles = append([]*os.File{theirs}, command.ExtraFiles...)
	if runner.Stdin == nil {
		nothing, err := os.Open(os.DevNull)
		if err != nil {
			return nil, errors.Join(err, ours.Close())
		}
		defer func() { _ = nothing.Close() }()
		runner.Stdin = nothing
	}
	// The runner outlives timebench until it has killed the rest.
	child, err := StartSurvivor(runner)
	if err != nil {
		return nil, errors.Join(err, ours.Close())
	}
	command.Process = runner.Process
	return &tree{child, ours}, nil
}

// wait returns when the program and all its descendants have ended.
func (t *tree) wait() { t.runner.wait() }

// collect does nothing: wait has read the outputs to their end.
func (t *tree) collect() error { return nil }

// end makes the runner end the program, and waits for it. An error is why processes are left.
func (t *tree) end() error {
	t.runner.Signal(syscall.SIGCONT) // the program may have stopped it
	_, _ = t.socket.Write([]byte{1}) // if it fails, the runner has ended
	if !within(dying+grace, t.runner.Ended()) {
		t.runner.Kill()
		t.runner.wait()
		return errors.New("it cannot be ended")
	}
	return nil
}

// outcome returns how the program ended: "" for success. The program must have ended. An error is why it did not start,
// or was not ended.
func (t *tree) outcome(command *exec.Cmd) (how string, err error) {
	command.ProcessState = t.runner.Close()
	var report runReport
	switch err := json.NewDecoder(t.socket).Decode(&report); {
	case err != nil:
		return "its runner ended: " + command.ProcessState.String(), nil
	case report.Errno != 0:
		return "", notStarted(command, report.Errno)
	case report.Left != "":
		return "", errors.New(report.Left)
	case report.Status.Signaled():
		return fmt.Sprintf("killed by signal %d", int(report.Status.Signal())), nil
	case report.Status.ExitStatus() != 0:
		return "exit status " + strconv.Itoa(report.Status.ExitStatus()), nil
	default:
		return "", nil
	}
}

func (t *tree) close() {
	_ = t.socket.Close()
	t.runner.closePipes()
}
