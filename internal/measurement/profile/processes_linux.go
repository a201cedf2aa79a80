package profile

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

// pidsIn returns the numbers that name the entries of a folder: processes or threads.
func pidsIn(folder string) []int {
	all, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var pids []int
	for _, entry := range all {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

// ownProc returns an error if /proc does not have the processes by the numbers that the records have.
func ownProc() error {
	self, err := os.Readlink("/proc/self")
	switch {
	case err != nil:
		return fmt.Errorf("/proc is not mounted: %w", err)
	case self != strconv.Itoa(os.Getpid()):
		return fmt.Errorf("/proc is that of another PID namespace: this process is %d, and %s there; mount its own (unshare --mount-proc)", os.Getpid(), self)
	default:
		return nil
	}
}

// stateOf returns the state of the first thread of a process, such as R or Z: proc_pid_stat(5).
func stateOf(pid int) (string, error) {
	process, err := procfs.NewProc(pid)
	if err != nil {
		return "", err
	}
	stat, err := process.Stat()
	return stat.State, err
}

// isZombie returns whether the first thread of a process ended, and the process was not reaped yet.
func isZombie(pid int) bool {
	state, err := stateOf(pid)
	return err == nil && state == "Z"
}

// threadsOf returns the threads of a process; none if it is gone.
func threadsOf(pid int) []int { return pidsIn(threadsFolder(pid)) }

// threadsFolder returns the folder with the threads of a process: proc_pid_task(5).
func threadsFolder(pid int) string { return fmt.Sprintf("/proc/%d/task", pid) }

// ownProcesses returns the processes of this user except this one.
func ownProcesses() []int {
	return slices.DeleteFunc(pidsIn("/proc"), func(pid int) bool {
		var of unix.Stat_t
		err := unix.Stat(fmt.Sprintf("/proc/%d", pid), &of)
		return err != nil || int(of.Uid) != os.Geteuid() || pid == os.Getpid()
	})
}

// commandOf returns the name of the program of a process: the file name of its first argument,
// or the name that the kernel has, which is that of a thread and is cut after 15 bytes.
func commandOf(pid int) string {
	arguments, err := procfile.Read(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return ""
	}
	first, _, _ := bytes.Cut(arguments, []byte{0})
	// A server may write its state here: "postgres: checkpointer".
	name, _, _ := strings.Cut(string(first), ": ")
	if name = path.Base(name); name != "." && name != "/" {
		return bounded(name)
	}
	return threadName(pid, pid)
}

// longestName is the maximum length of a name in bytes: a process chooses its own.
const longestName = 64

// bounded returns a name that is not too long.
func bounded(name string) string {
	if len(name) <= longestName {
		return name
	}
	return strings.ToValidUTF8(name[:longestName], "") + "…"
}

func threadName(pid, tid int) string {
	name, err := procfile.Read(fmt.Sprintf("/proc/%d/task/%d/comm", pid, tid))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}

// longestPath is the maximum length of the path of a control group in bytes.
const longestPath = 4096

// folderOf returns the folder of a process in /proc. If its first thread ended, what that folder has of it is empty, and this
// is the folder of another thread.
func folderOf(pid int) string {
	if isZombie(pid) {
		for _, tid := range threadsOf(pid) {
			if tid != pid {
				return fmt.Sprintf("%s/%d", threadsFolder(pid), tid)
			}
		}
	}
	return fmt.Sprintf("/proc/%d", pid)
}

// cgroupOf returns the path of the control group of a process, whose folder in /proc is given: that of version 2, or the
// longest of version 1; empty if it is the root.
func cgroupOf(folder string) string {
	text, err := procfile.Read(folder + "/cgroup")
	if err != nil {
		return ""
	}
	longest := ""
	for line := range strings.Lines(string(text)) {
		if parts := strings.SplitN(strings.TrimSpace(line), ":", 3); len(parts) == 3 && len(parts[2]) > len(longest) {
			longest = parts[2]
		}
	}
	if longest == "/" || len(longest) > longestPath {
		return ""
	}
	return longest
}

// NamedProcesses returns the processes whose program has this name.
func NamedProcesses(name string) []int {
	return slices.DeleteFunc(pidsIn("/proc"), func(pid int) bool {
		return pid == os.Getpid() || commandOf(pid) != name && threadName(pid, pid) != name
	})
}

// ProcessOf returns the process that a number is of: its own, or that of a thread; 0 if there is none.
func ProcessOf(number int) int {
	status, err := procfile.Read(fmt.Sprintf("/proc/%d/status", number))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "Tgid:"); ok {
			pid, _ := strconv.Atoi(strings.TrimSpace(text)) // 0 in what is no number
			return pid
		}
	}
	return 0
}

// tickNS is the unit of the CPU times in /proc/PID/stat: USER_HZ is 100 on every architecture
// that timebench supports.
const tickNS = 1e9 / 100

// usages are the CPU times of processes, by the accounting of the kernel.
type usages struct {
	start map[int]usage // at the beginning
	// readNS are the times of CLOCK_MONOTONIC at which those were read: on a machine with thousands of processes
	// the first is read long before the last.
	readNS map[int]uint64
	// born are the times when the processes started, in ticks since boot: a number is used again.
	born map[int]uint64
	last map[int]usage
}

// newUsages reads the CPU times of all processes, or of some.
func newUsages(pids []int) *usages {
	u := &usages{start: map[int]usage{}, readNS: map[int]uint64{}, born: map[int]uint64{}, last: map[int]usage{}}
	if pids == nil {
		pids = pidsIn("/proc")
	}
	for _, pid := range pids {
		if used, born, ok := usageOf(pid); ok {
			u.start[pid], u.born[pid], u.readNS[pid] = used, born, monotonicNS()
		}
	}
	return u
}

// usageOf returns the CPU time of a process since it started.
func usageOf(pid int) (used usage, born uint64, ok bool) {
	process, err := procfs.NewProc(pid)
	if err != nil {
		return used, 0, false
	}
	stat, err := process.Stat()
	if err != nil {
		return used, 0, false
	}
	return usage{userNS: float64(stat.UTime) * tickNS, systemNS: float64(stat.STime) * tickNS}, stat.Starttime, true
}

// read reads the CPU time of a process now. It is whole if this is the last reading.
func (u *usages) read(pid int, last bool) {
	now, born, ok := usageOf(pid)
	if !ok {
		of := u.last[pid]
		of.whole = false
		u.last[pid] = of
		return
	}
	if start, there := u.start[pid]; there && u.born[pid] == born {
		now.userNS, now.systemNS = now.userNS-start.userNS, now.systemNS-start.systemNS
		now.spanNS = float64(monotonicNS() - u.readNS[pid])
	}
	now.whole = last
	u.last[pid] = now
}
