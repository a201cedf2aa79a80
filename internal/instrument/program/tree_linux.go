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

// A tree is a program and its descendants.
//
// How they are found, and nothing else is killed:
//
//  1. During the run, this process is a subreaper (prctl(2)). The kernel makes it the parent of each
//     descendant whose own parent ends, also of a daemon with a session of its own. So each process
//     of the program is a descendant of this process, and only descendants are considered.
//  2. A process that descended from this one before the start is not the program's. What it starts
//     during the run can become a child of this process too, so being a new child proves nothing.
//  3. A descendant is the program's if one of these holds:
//     a. It is the program, or below a process that is the program's.
//     b. Its environment has the random tag of this run, which no other process can have.
//     c. It is in the session that the program leads. The program is reaped last, and until then the
//     kernel gives its number to no other process or session.
//  4. A process is killed through a pidfd. Its start time is read after the pidfd was opened, and
//     must be that of the proven process. So a reused number kills nobody.
//
// One kind escapes: a process that lost its ancestors, cleared its environment and left the session,
// such as a daemon of a program that clears the environment of its daemons. Nothing proves whose it
// is, so it is left alone. Orphans of the program that end stay zombies until the program has ended, if this process is their
// subreaper: a program that makes them without end is ended by its time limit.
//
// Without the /proc of its own PID namespace, this process ends the process group of the program only.
type tree struct {
	cmd     *exec.Cmd
	tag     string              // the entry of the environment
	proc    bool                // whether /proc shows the processes by the numbers of this process
	lists   bool                // whether the kernel lists the children of a thread
	own     process.ProcStat    // of this process
	before  map[process.ID]bool // the descendants of this process at the start
	members map[process.ID]bool // the proven processes
	corpses map[int]uint64      // number and start of the zombies that another part of timebench may wait for
}

func newTree(cmd *exec.Cmd) (*tree, error) {
	t := &tree{cmd: cmd, tag: Tag + "=" + rand.Text(), before: map[process.ID]bool{}, members: map[process.ID]bool{}, corpses: map[int]uint64{}}
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
	var err error
	if t.own, err = process.Self(); err != nil {
		debuglog.Printf("program", "%v; only the process group of the program will be ended", err)
		return t, nil
	}
	t.proc = true
	_, err = os.Stat("/proc/thread-self/children")
	t.lists = err == nil
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		debuglog.Printf("program", "PR_SET_CHILD_SUBREAPER: %v; a daemon may outlive the program", err)
	}
	for _, p := range process.Descendants([]int{t.own.PID}, 0) {
		t.before[process.Of(p)] = true
	}
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

func (t *tree) close() {
	// Nothing else in timebench needs the attribute, and a child does not inherit it.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	runtime.UnlockOSThread()
}

// end kills all processes of the program. It returns an error if some of them cannot be killed.
//
// A reading of /proc is not a snapshot. A process can fork and exit while it is read, so that the
// reading shows only a zombie. So a reading is clean only if it shows no new zombie either.
func (t *tree) end() error {
	const cleanReadings = 3
	start := time.Now()
	for clean := 0; ; {
		// For a group the kernel kills and forks in turn, so none of its processes slips through.
		_ = unix.Kill(-t.cmd.Process.Pid, unix.SIGKILL)
		if !t.proc {
			return nil
		}
		// Reading the children only is fast enough to catch a process that lives for a millisecond.
		alive, dead, err := t.kill(map[int][]process.ProcStat{t.own.PID: t.children()})
		if alive+dead == 0 {
			alive, dead, err = t.kill(process.ByParent())
		}
		clean++
		if alive+dead > 0 {
			clean = 0
		}
		switch {
		case clean == cleanReadings:
			return nil
		case time.Since(start) < grace, alive > 0 && time.Since(start) < dying && !errors.Is(err, unix.EPERM):
			time.Sleep(time.Millisecond)
		case alive == 0:
			return errors.New("its processes cannot be ended: each one starts another and exits")
		default:
			return fmt.Errorf("%d of its processes cannot be ended: %w", alive, err)
		}
	}
}

// kill kills the processes of the program in one reading of /proc. It returns how many were alive,
// and how many new zombies this process has as children. The error is of a process that was alive: of one that
// timebench is not permitted to kill (EPERM), if there is one.
func (t *tree) kill(below map[int][]process.ProcStat) (alive, dead int, left error) {
	var queue []process.ProcStat
	for _, p := range below[t.own.PID] {
		switch {
		case p.PID == t.cmd.Process.Pid:
			queue = append(queue, p)
		case t.foreign(p), t.corpses[p.PID] == p.Starttime:
		case process.Ended(p):
			dead++
			t.bury(p)
		case t.proven(p):
			queue = append(queue, p)
		}
	}
	for len(queue) > 0 {
		p := queue[0]
		queue = append(queue[1:], below[p.PID]...)
		t.members[process.Of(p)] = true
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
	return alive, dead, left
}

// foreign reports whether a child of this process is the program, which is reaped last, or was there
// before it.
func (t *tree) foreign(p process.ProcStat) bool {
	return p.PID == t.cmd.Process.Pid || t.before[process.Of(p)]
}

// proven reports whether a live child of this process is the program's.
func (t *tree) proven(p process.ProcStat) bool {
	if t.members[process.Of(p)] || p.Session == t.cmd.Process.Pid {
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

// bury reaps a zombie that is a child of this process, unless another part of timebench may wait for
// it: what timebench starts meanwhile with os/exec is in its session, where none of the program's can
// be. The guardian of the clock source has a session of its own, but is not started during a run.
func (t *tree) bury(p process.ProcStat) {
	if p.Session == t.own.Session {
		t.corpses[p.PID] = p.Starttime
		return
	}
	_, _ = unix.Wait4(p.PID, nil, unix.WNOHANG, nil)
	delete(t.members, process.Of(p))
}

// children returns the children of this process without the corpses. One that changes its parent
// meanwhile may be missing.
func (t *tree) children() []process.ProcStat {
	if !t.lists {
		return process.ByParent()[t.own.PID]
	}
	var children []process.ProcStat
	for _, thread := range process.Threads(t.own.PID) {
		for _, pid := range process.ChildrenIn(fmt.Sprintf("/proc/self/task/%d", thread)) {
			if _, corpse := t.corpses[pid]; corpse { // a chain leaves thousands of them
				continue
			}
			if stat, err := process.Stat(pid); err == nil && stat.PPID == t.own.PID {
				children = append(children, stat)
			}
		}
	}
	return children
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
