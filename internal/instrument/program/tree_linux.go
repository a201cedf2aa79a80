package program

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
	"github.com/timebench/timebench/internal/system/debuglog"
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
// is, so it is left alone.
//
// Without the /proc of its own PID namespace, this process ends the process group of the program only.
type tree struct {
	cmd     *exec.Cmd
	tag     string           // the entry of the environment
	proc    bool             // whether /proc shows the processes by the numbers of this process
	lists   bool             // whether the kernel lists the children of a thread
	own     procfs.ProcStat  // of this process
	before  map[process]bool // the descendants of this process at the start
	members map[process]bool // the proven processes
	corpses map[int]uint64   // number and start of the zombies that another part of timebench may wait for

	stopReaper func()
}

// A process identifies a process also after its number was reused.
type process struct {
	pid   int
	start uint64 // in clock ticks since boot
}

func newTree(cmd *exec.Cmd) (*tree, error) {
	t := &tree{cmd: cmd, tag: Tag + "=" + rand.Text(), before: map[process]bool{}, members: map[process]bool{},
		corpses: map[int]uint64{}, stopReaper: func() {}}
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
	self, err := procfs.Self()
	if err == nil {
		t.own, err = self.Stat()
	}
	if err == nil && t.own.PID != os.Getpid() {
		err = errors.New("it belongs to another PID namespace")
	}
	if err != nil {
		debuglog.Printf("program", "/proc: %v; only the process group of the program will be ended", err)
		return t, nil
	}
	t.proc = true
	_, err = os.Stat("/proc/thread-self/children")
	t.lists = err == nil
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		debuglog.Printf("program", "PR_SET_CHILD_SUBREAPER: %v; a daemon may outlive the program", err)
	}
	below := childrenByParent()
	queue := below[t.own.PID]
	for len(queue) > 0 {
		p := queue[0]
		t.before[identity(p)] = true
		queue = append(queue[1:], below[p.PID]...)
	}
	return t, nil
}

func (t *tree) start() error {
	if !t.proc {
		return t.cmd.Start()
	}
	exits := make(chan os.Signal, 1)
	signal.Notify(exits, unix.SIGCHLD)
	if err := t.cmd.Start(); err != nil {
		signal.Stop(exits)
		return err
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	t.stopReaper = sync.OnceFunc(func() {
		close(stop)
		<-stopped
	})
	go func() {
		defer close(stopped)
		defer signal.Stop(exits)
		t.reapOrphans(exits, stop)
	}()
	return nil
}

// reapOrphans reaps the orphans of the program while it runs. A program that forks without end would
// otherwise fill the process table of the machine with zombies. It does nothing unless a child of
// this process exits, so it does not disturb a measurement.
func (t *tree) reapOrphans(exits <-chan os.Signal, stop <-chan struct{}) {
	const pause = 10 * time.Millisecond // many orphans exit in a burst
	for {
		select {
		case <-stop:
			return
		case <-exits:
		}
		// A list that changes while it is read may miss a process, so it is read again after a pause.
		for range 2 {
			t.scan()
			select {
			case <-stop:
				return
			case <-time.After(pause):
			}
		}
	}
}

// scan reaps the orphans of the program that have exited, and remembers the others: a zombie has no
// environment, so it could not be proven later.
func (t *tree) scan() {
	for _, p := range t.children() {
		switch {
		case t.foreign(p):
		case ended(p):
			t.bury(p)
		case t.proven(p):
			t.members[identity(p)] = true
		}
	}
}

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
	t.stopReaper()
	// Nothing else in timebench needs the attribute, and a child does not inherit it.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	runtime.UnlockOSThread()
}

// end kills all processes of the program. It returns an error if some of them cannot be killed.
//
// A reading of /proc is not a snapshot. A process can fork and exit while it is read, so that the
// reading shows only a zombie. So a reading is clean only if it shows no new zombie either.
func (t *tree) end() error {
	t.stopReaper()
	const cleanReadings = 3
	start := time.Now()
	for clean := 0; ; {
		// For a group the kernel kills and forks in turn, so none of its processes slips through.
		_ = unix.Kill(-t.cmd.Process.Pid, unix.SIGKILL)
		if !t.proc {
			return nil
		}
		// Reading the children only is fast enough to catch a process that lives for a millisecond.
		alive, dead, err := t.kill(map[int][]procfs.ProcStat{t.own.PID: t.children()})
		if alive+dead == 0 {
			alive, dead, err = t.kill(childrenByParent())
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
func (t *tree) kill(below map[int][]procfs.ProcStat) (alive, dead int, left error) {
	var queue []procfs.ProcStat
	for _, p := range below[t.own.PID] {
		switch {
		case p.PID == t.cmd.Process.Pid:
			queue = append(queue, p)
		case t.foreign(p), t.corpses[p.PID] == p.Starttime:
		case ended(p):
			dead++
			t.bury(p)
		case t.proven(p):
			queue = append(queue, p)
		}
	}
	for len(queue) > 0 {
		p := queue[0]
		queue = append(queue[1:], below[p.PID]...)
		t.members[identity(p)] = true
		if ended(p) {
			continue
		}
		alive++
		if err := killProcess(identity(p)); err != nil && !errors.Is(err, unix.ESRCH) {
			left = fmt.Errorf("killing process %d (%q): %w", p.PID, p.Comm, err)
		} else if !errors.Is(left, unix.EPERM) {
			left = fmt.Errorf("process %d (%q) does not exit, its state is %s", p.PID, p.Comm, p.State)
		}
	}
	return alive, dead, left
}

// foreign reports whether a child of this process is the program, which is reaped last, or was there
// before it.
func (t *tree) foreign(p procfs.ProcStat) bool {
	return p.PID == t.cmd.Process.Pid || t.before[identity(p)]
}

// proven reports whether a live child of this process is the program's.
func (t *tree) proven(p procfs.ProcStat) bool {
	if t.members[identity(p)] || p.Session == t.cmd.Process.Pid {
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
// it. The children that timebench starts meanwhile with os/exec are in its session, where none of the
// program's can be, so they are reaped only by their own Wait. The guardian of the clock source has a
// session of its own, but is not started during a run. An orphan in another session that is not the
// program's is reaped too: nobody else waits for it.
func (t *tree) bury(p procfs.ProcStat) {
	if p.Session == t.own.Session {
		t.corpses[p.PID] = p.Starttime
		return
	}
	_, _ = unix.Wait4(p.PID, nil, unix.WNOHANG, nil)
	delete(t.members, identity(p))
}

// children returns the children of this process without the corpses. One that changes its parent
// meanwhile may be missing.
func (t *tree) children() []procfs.ProcStat {
	if !t.lists {
		return childrenByParent()[t.own.PID]
	}
	threads, err := procfs.AllThreads(t.own.PID)
	if err != nil {
		debuglog.Printf("program", "/proc: %v", err)
	}
	var children []procfs.ProcStat
	for _, thread := range threads {
		list, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", thread.PID)) // the thread may be gone
		for number := range strings.FieldsSeq(string(list)) {
			pid, err := strconv.Atoi(number)
			if _, corpse := t.corpses[pid]; err != nil || corpse { // a chain leaves thousands of them
				continue
			}
			proc, err := procfs.NewProc(pid)
			if err != nil {
				continue
			}
			if stat, err := proc.Stat(); err == nil && stat.PPID == t.own.PID {
				children = append(children, stat)
			}
		}
	}
	return children
}

// ended reports whether a process is a zombie. A process whose first thread has exited looks like
// one too, but has other threads.
func ended(p procfs.ProcStat) bool {
	return (p.State == "Z" || p.State == "X") && p.NumThreads <= 1
}

// killProcess kills the process that was identified before, and no later one with its number.
func killProcess(p process) error {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		// A kernel before 5.3, or a seccomp filter: the time between the check and the kill remains.
		if err := same(p); err != nil {
			return err
		}
		return unix.Kill(p.pid, unix.SIGKILL)
	}
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	if err := same(p); err != nil {
		return err
	}
	return unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
}

// same returns ESRCH if the number belongs to another process now.
func same(p process) error {
	proc, err := procfs.NewProc(p.pid)
	if err != nil {
		return unix.ESRCH
	}
	stat, err := proc.Stat()
	if err != nil || identity(stat) != p {
		return unix.ESRCH
	}
	return nil
}

func identity(p procfs.ProcStat) process { return process{p.PID, p.Starttime} }

// childrenByParent returns all processes by the number of their parent. A process that exits
// meanwhile is missing.
func childrenByParent() map[int][]procfs.ProcStat {
	all, err := procfs.AllProcs()
	if err != nil {
		debuglog.Printf("program", "/proc: %v", err)
	}
	below := map[int][]procfs.ProcStat{}
	for _, proc := range all {
		if stat, err := proc.Stat(); err == nil {
			below[stat.PPID] = append(below[stat.PPID], stat)
		}
	}
	return below
}
