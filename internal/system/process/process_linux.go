// Package process reads from /proc which processes there are, and what the kernel shows of each one: proc(5).
//
// The kernel reuses the number of a process that was reaped: only an [ID] stays. The first thread of a process may end
// before the others. /proc/PID/stat then shows a zombie, and the files of /proc/PID about its memory are empty: see
// [Ended] and [Folder].
package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// A ProcStat is what /proc/PID/stat has.
type ProcStat = procfs.ProcStat

// An ID identifies a process, even after its number was reused.
type ID struct {
	PID     int    `json:"pid"`
	Started uint64 `json:"started"` // in clock ticks since boot
}

// Of returns the ID in /proc/PID/stat.
func Of(stat ProcStat) ID { return ID{stat.PID, stat.Starttime} }

// ErrEnded means that the process was reaped, or that another process has its number now.
var ErrEnded = errors.New("the process has ended")

// Check returns nil if the process is there, also as a zombie. Otherwise the error is as [Stat] returns it.
func (id ID) Check() error {
	stat, err := Stat(id.PID)
	if err == nil && Of(stat) != id {
		err = fmt.Errorf("process %d: %w", id.PID, ErrEnded)
	}
	return err
}

// Stat reads /proc/PID/stat of proc_pid_stat(5). errors.Is(err, ErrEnded) if there is no such process.
func Stat(pid int) (ProcStat, error) {
	found, err := procfs.NewProc(pid)
	if err != nil {
		return ProcStat{}, wrong(pid, err)
	}
	stat, err := found.Stat()
	return stat, wrong(pid, err)
}

// wrong returns the error of a file in the folder of a process.
func wrong(pid int, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ESRCH):
		err = ErrEnded
	}
	return fmt.Errorf("process %d: %w", pid, err)
}

// Self returns the stat of this process. It returns an error if /proc does not show the processes by the numbers that
// this process knows them by.
func Self() (ProcStat, error) {
	self, err := procfs.Self()
	switch {
	case err != nil:
		return ProcStat{}, fmt.Errorf("/proc is not mounted: %w", err)
	case self.PID != os.Getpid():
		return ProcStat{}, fmt.Errorf("/proc belongs to another PID namespace: this process is %d, and %d there; "+
			"mount its own (unshare --mount-proc)", os.Getpid(), self.PID)
	default:
		return self.Stat()
	}
}

// FirstEnded reports whether the first thread has ended: the process is a zombie, or has other threads.
func FirstEnded(stat ProcStat) bool { return slices.Contains([]string{"Z", "X", "x"}, stat.State) }

// Ended reports whether all threads have ended, and the process was not reaped yet.
func Ended(stat ProcStat) bool { return FirstEnded(stat) && stat.NumThreads <= 1 }

// Lives reports whether a process has a thread that has not ended. A process that is hidden may live.
func Lives(pid int) bool {
	stat, err := Stat(pid)
	return err == nil && !Ended(stat) || err != nil && !errors.Is(err, ErrEnded)
}

// Folder returns the folder of a process in /proc, or the folder of another thread if its first thread has ended. The
// folder of a thread has the same files but map_files.
func Folder(pid int) string {
	folder := "/proc/" + strconv.Itoa(pid)
	if stat, err := Stat(pid); err != nil || !FirstEnded(stat) {
		return folder
	}
	threads, _ := procfs.AllThreads(pid)
	for _, thread := range threads {
		if stat, err := thread.Stat(); err == nil && !FirstEnded(stat) {
			return fmt.Sprintf("%s/task/%d", folder, thread.PID)
		}
	}
	return folder
}

// All returns the numbers of all processes, in order.
func All() []int { return numbers(procfs.AllProcs()) }

// Threads returns the numbers of the threads of a process, in order; none if it is gone.
func Threads(pid int) []int { return numbers(procfs.AllThreads(pid)) }

func numbers(all procfs.Procs, _ error) []int {
	list := make([]int, len(all))
	for i, found := range all {
		list[i] = found.PID
	}
	slices.Sort(list)
	return list
}

// byParent returns all processes by the number of their parent. A process that exits meanwhile is missing.
func byParent() map[int][]ProcStat {
	below := map[int][]ProcStat{}
	all, _ := procfs.AllProcs()
	for _, found := range all {
		if stat, err := found.Stat(); err == nil {
			below[stat.PPID] = append(below[stat.PPID], stat)
		}
	}
	return below
}

// Descendants returns the live children of some processes, their children, and so on. A process whose parent ended is
// the child of init or of a subreaper (prctl(2)). except and its descendants are left out.
func Descendants(pids []int, except int) []ProcStat {
	below := byParent()
	seen := map[int]bool{except: true}
	var all []ProcStat
	for next := slices.Clone(pids); len(next) > 0; next = next[1:] {
		for _, stat := range below[next[0]] {
			if !seen[stat.PID] && !slices.Contains(pids, stat.PID) {
				seen[stat.PID] = true
				all = append(all, stat)
				next = append(next, stat.PID)
			}
		}
	}
	return all
}

// Children returns the children of this process, by the numbers that /proc shows. A child that changes its parent
// meanwhile may be missing.
func Children() []int {
	var children []int
	self := os.Getpid()
	if _, err := os.Stat("/proc/thread-self/children"); err != nil { // without CONFIG_PROC_CHILDREN
		for _, child := range byParent()[self] {
			children = append(children, child.PID)
		}
		return children
	}
	for _, thread := range Threads(self) {
		list, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", thread))
		for number := range strings.FieldsSeq(string(list)) {
			if pid, err := strconv.Atoi(number); err == nil {
				children = append(children, pid)
			}
		}
	}
	return children
}

// Patience is how long a file of a process may take. The rings of a profile hold the samples of two seconds.
const Patience = 2 * time.Second

// InTime returns the value of read, which reads files of a process; false if that takes longer than [Patience]. Then
// read goes on, so it must not touch the caller's data. The memory map, the arguments and the environment may take for
// ever: the kernel waits until the process, which waits for a page, releases its map. So may files of FUSE, or of a
// network file system whose server is gone.
func InTime[T any](read func() T) (value T, inTime bool) {
	done := make(chan T, 1)
	go func() { done <- read() }()
	select {
	case value = <-done:
		return value, true
	case <-time.After(Patience):
		return value, false
	}
}

// A Status is what timebench uses of /proc/PID/status: proc_pid_status(5).
type Status struct {
	PID  int    // of the process to which the thread belongs
	User uint32 // the effective one
	// Inner is the number of the thread in the innermost PID namespace that it is in; 0 if it is unknown.
	Inner int
}

// StatusOf reads the status of a thread. The number of the first thread is the number of the process. errors.Is(err,
// ErrEnded) if there is no such thread.
func StatusOf(thread int) (Status, error) {
	found, err := procfs.NewProc(thread)
	if err != nil {
		return Status{}, wrong(thread, err)
	}
	status, err := found.NewStatus()
	if err != nil {
		return Status{}, wrong(thread, err)
	}
	s := Status{PID: status.TGID, User: uint32(status.UIDs[1])}
	if n := len(status.NSpids); n > 0 {
		s.Inner = int(status.NSpids[n-1])
	}
	return s, nil
}
