package profile

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/system/process"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

// ownProcesses returns the processes of this user except this one.
func ownProcesses() []int {
	return slices.DeleteFunc(process.All(), func(pid int) bool {
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
	return slices.DeleteFunc(process.All(), func(pid int) bool {
		return pid == os.Getpid() || commandOf(pid) != name && threadName(pid, pid) != name
	})
}

// ProcessOf returns the process that a number is of: its own, or that of a thread; 0 if there is none.
func ProcessOf(number int) int {
	status, _ := process.StatusOf(number)
	return status.PID
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
	// ids identify the processes: a number is used again.
	ids  map[int]process.ID
	last map[int]usage
}

// newUsages reads the CPU times of all processes, or of some.
func newUsages(pids []int) *usages {
	u := &usages{start: map[int]usage{}, readNS: map[int]uint64{}, ids: map[int]process.ID{}, last: map[int]usage{}}
	if pids == nil {
		pids = process.All()
	}
	for _, pid := range pids {
		if used, id, ok := usageOf(pid); ok {
			u.start[pid], u.ids[pid], u.readNS[pid] = used, id, monotonicNS()
		}
	}
	return u
}

// usageOf returns the CPU time of a process since it started.
func usageOf(pid int) (used usage, id process.ID, ok bool) {
	stat, err := process.Stat(pid)
	return usage{userNS: float64(stat.UTime) * tickNS, systemNS: float64(stat.STime) * tickNS}, process.Of(stat), err == nil
}

// read reads the CPU time of a process now. It is whole if this is the last reading.
func (u *usages) read(pid int, last bool) {
	now, id, ok := usageOf(pid)
	if !ok {
		of := u.last[pid]
		of.whole = false
		u.last[pid] = of
		return
	}
	if start, there := u.start[pid]; there && u.ids[pid] == id {
		now.userNS, now.systemNS = now.userNS-start.userNS, now.systemNS-start.systemNS
		now.spanNS = float64(monotonicNS() - u.readNS[pid])
	}
	now.whole = last
	u.last[pid] = now
}
