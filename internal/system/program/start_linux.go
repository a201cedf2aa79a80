package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// ownRoles are the roles by which this package starts programs.
var ownRoles = Roles{gateRole: passGate, runRole: runProgram}

// endWithParent makes the kernel kill a process when this one ends, however it ends: at the end of the thread that
// started the process, which therefore lasts.
func endWithParent(command *exec.Cmd) {
	command.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
}

func ownSession(command *exec.Cmd) { command.SysProcAttr = &unix.SysProcAttr{Setsid: true} }

// lastingThread is a thread that ends with this process.
var lastingThread = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread() // for ever
		for do := range work {
			do()
		}
	}()
	return work
})

func onLastingThread(do func()) {
	done := make(chan struct{})
	lastingThread() <- func() { do(); close(done) }
	<-done
}

// socketPair returns two connected sockets, close-on-exec. A process that has one of them reads the end of the process
// that has the other.
func socketPair() (ours, theirs *os.File, err error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	return os.NewFile(uintptr(ends[0]), "socket"), os.NewFile(uintptr(ends[1]), "socket"), nil
}

// gateRole is the role of a process that waits at a gate.
const gateRole = "gate"

// StartGated starts a process that waits, and becomes the program of the command at [Child.Begin]. Until then it is
// timebench, so what concerns the process can be prepared before the first instruction of the program. Linux only.
//
// The command must have no ExtraFiles.
func StartGated(ctx context.Context, command *exec.Cmd) (*Child, error) {
	if command.Err != nil {
		return nil, command.Err
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	gated := Role(gateRole, append([]string{command.Path}, command.Args...)...)
	gated.Stdin, gated.Stdout, gated.Stderr = command.Stdin, command.Stdout, command.Stderr
	gated.Env, gated.Dir, gated.ExtraFiles = command.Env, command.Dir, []*os.File{theirs}
	c, err := Start(ctx, gated)
	_ = theirs.Close()
	if err != nil {
		return nil, errors.Join(err, ours.Close())
	}
	c.gate = ours
	return c, nil
}

// passGate waits until the gate opens, and then becomes a program: the arguments are its path and its own arguments.
func passGate(args []string) error {
	const first = 3 // of exec.Cmd.ExtraFiles
	gate := os.NewFile(first, gateRole)
	unix.CloseOnExec(first)
	if n, err := gate.Read(make([]byte, 1)); n != 1 || len(args) < 2 {
		return fmt.Errorf("the gate did not open: %w", cmp.Or(err, errors.New("there is no program")))
	}
	// execve(2) keeps the thread that calls it, and its signal for the end of the parent. exec.Cmd set the signal of
	// the first thread. The signal comes when the thread of the parent ends that started this process.
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("PR_SET_PDEATHSIG: %w", err)
	}
	err := fmt.Errorf("%s: %w", args[0], unix.Exec(args[0], args[1:], os.Environ()))
	if _, unsaid := gate.WriteString(err.Error()); unsaid == nil {
		os.Exit(1) // the parent reports it
	}
	return err
}
