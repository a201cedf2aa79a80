package program

import (
	"os"
	"os/exec"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// ownRoles are the roles by which this package starts programs.
var ownRoles = Roles{runRole: runProgram}

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

// OnStarter calls do on the thread that starts the processes of [Start].
func OnStarter(do func()) {
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
