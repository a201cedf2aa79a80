package program

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/process"
	"golang.org/x/sys/unix"
)

// A tree is a program and its descendants. A process is the program's, and nothing else is killed, if one of these holds:
//
//   - Its environment has the random tag of this run, which no other process can have.
//   - It is in the session that the program leads. The program is reaped last, and until then the kernel gives its number to
//     no other process or session.
//   - It is below such a process.
//
// A process is killed through a pidfd. Its start time is read after the pidfd was opened, and must be that of the process that
// was found. So a reused number kills nobody.
//
// One kind escapes: a process that lost its ancestors, cleared its environment and left the session, such as a daemon of a
// program that clears the environment of its daemons. Nothing shows whose it is.
//
// Without the /proc of its own PID namespace, this process ends the process group of the program only.
type tree struct {
	cmd  *exec.Cmd
	tag  string // the entry of the environment
	proc bool   // whether /proc shows the processes by the numbers of this process
}

func newTree(cmd *exec.Cmd) (*tree, error) {
	t := &tree{cmd: cmd, tag: Tag + "=" + rand.Text()}
	cmd.Env = append(slices.DeleteFunc(slices.Clone(cmd.Env), func(entry string) bool {
		return strings.HasPrefix(entry, Tag+"=")
	}), t.tag)
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setsid = true // it can neither read nor change the terminal of timebench
	// If timebench is killed, the kernel kills the program. It does so at the end of the thread that
	// started the program, so this goroutine keeps the thread until close.
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	runtime.LockOSThread()
	_, err := process.Self()
	if err != nil {
		debuglog.Printf("program", "%v; only the process group of the program will be ended", err)
	}
	t.proc = err == nil
	return t, nil
}

func (t *tree) start() error { return t.cmd.Start() }

// wait returns when the program has exited, and leaves it a zombie.
func (t *tree) wait() {
	for {
		err := unix.Waitid(unix.P_PID, t.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// reap takes the exit status of the program. From here on its number may be reused.
func (t *tree) reap() { _ = t.cmd.Wait() }

func (t *tree) close() { runtime.UnlockOSThread() }

// end kills all processes of the program. It returns an error if some of them cannot be killed.
//
// A reading of /proc is not a snapshot: a process can start another and exit while it is read. So nothing is left
// only if several readings show nothing.
func (t *tree) end() error {
	const cleanReadings = 5
	start := time.Now()
	for clean := 0; ; time.Sleep(time.Millisecond) {
		// For a group the kernel kills and forks in turn, so none of its processes slips through.
		_ = unix.Kill(-t.cmd.Process.Pid, unix.SIGKILL)
		if !t.proc {
			return nil
		}
		alive, err := t.kill()
		if clean++; alive > 0 {
			clean = 0
		}
		switch {
		case clean == cleanReadings:
			return nil
		case clean > 0 || time.Since(start) < grace || time.Since(start) < dying && !errors.Is(err, unix.EPERM):
		default:
			return fmt.Errorf("%d of its processes cannot be ended: %w", alive, err)
		}
	}
}

// kill kills the processes of the program in one reading of /proc. It returns how many were alive. The error is of one of
// them: of one that timebench is not permitted to kill (EPERM), if there is one.
func (t *tree) kill() (alive int, left error) {
	first, err := process.Stat(t.cmd.Process.Pid) // a zombie at least
	if err != nil {
		return 0, nil
	}
	var members []process.ProcStat
	numbers := []int{first.PID}
	for _, pid := range process.All() {
		if p, err := process.Stat(pid); err == nil && p.Starttime >= first.Starttime && t.owns(p) {
			members, numbers = append(members, p), append(numbers, pid)
		}
	}
	for _, p := range append(members, process.Descendants(numbers, os.Getpid())...) {
		if process.Ended(p) {
			continue
		}
		alive++
		if err := killProcess(process.Of(p)); err != nil && !errors.Is(err, process.ErrEnded) && !errors.Is(err, os.ErrProcessDone) {
			left = fmt.Errorf("killing process %d (%q): %w", p.PID, p.Comm, err)
		} else if !errors.Is(left, unix.EPERM) {
			left = fmt.Errorf("process %d (%q) does not exit, its state is %s", p.PID, p.Comm, p.State)
		}
	}
	return alive, left
}

// owns reports whether a process shows by itself that it is the program's.
func (t *tree) owns(p process.ProcStat) bool {
	if p.Session == t.cmd.Process.Pid {
		return true
	}
	// The threads, not the process: what the first thread has is gone after its exit.
	threads, err := procfs.AllThreads(p.PID)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(threads, func(thread procfs.Proc) bool {
		environment, err := thread.Environ()
		return err == nil && slices.Contains(environment, t.tag)
	})
}

// killProcess kills the process that was identified before, and no later one with its number.
func killProcess(id process.ID) error {
	found, err := os.FindProcess(id.PID) // by a pidfd, since Linux 5.3
	if err != nil {
		return err
	}
	defer func() { _ = found.Release() }()
	if err := id.Check(); err != nil {
		return err
	}
	return found.Kill()
}
