package profile

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

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

// withChildren returns processes and their descendants, but not this process.
func withChildren(pids []int) []int {
	all := slices.Compact(slices.Sorted(slices.Values(pids)))
	for _, child := range process.Descendants(all, os.Getpid()) {
		all = append(all, child.PID)
	}
	return all
}

// anyLives returns whether one of the wanted processes lives, or was started since the last call. A process may have
// ended after it started another whose record is still to come.
func (t *tally) anyLives() bool {
	if t.started {
		t.started = false
		return true
	}
	for pid, wanted := range t.wanted {
		switch {
		case !wanted || t.gone[pid]:
		case process.Lives(pid):
			return true
		default:
			t.gone[pid] = true // a build starts thousands
		}
	}
	return false
}

// commandOf returns the name of the program of a process: the file name of its first argument, or the name that the
// kernel has for the first thread, cut after 15 bytes.
func commandOf(pid int) string {
	arguments, err := procfile.Read(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return ""
	}
	first, _, _ := bytes.Cut(arguments, []byte{0})
	// A server may write its state here, and a browser all its arguments: "postgres: checkpointer", "chrome --type=gpu".
	name, _, _ := strings.Cut(string(first), ": ")
	name, _, _ = strings.Cut(name, " -")
	if name = path.Base(name); name != "." && name != "/" {
		return bounded(name)
	}
	return threadName(pid, pid)
}

// inTime is [process.InTime], but reads nothing for a while after files took too long, until a time that it sets: most
// of the time a profile must read its samples.
func inTime[T any](until *time.Time, read func() T) (value T, inTime bool) {
	const pause = 4 * process.Patience
	if time.Now().Before(*until) {
		return value, false
	}
	if value, inTime = process.InTime(read); !inTime {
		*until = time.Now().Add(pause)
	}
	return value, inTime
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

// cgroupOf returns the path of the control group of a process, whose folder in /proc is given: the group of version 2,
// or the longest of version 1; empty if it is the root.
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

// NamedProcesses returns the processes whose program has this name. Where the whole name of a process cannot be read in
// time, the beginning that the kernel has must be the same.
func NamedProcesses(name string) []int {
	var until time.Time
	return slices.DeleteFunc(process.All(), func(pid int) bool {
		command, read := inTime(&until, func() string { return commandOf(pid) })
		short := threadName(pid, pid)
		return pid == os.Getpid() || command != name && short != name && (read || short != name[:min(kernelName, len(name))])
	})
}

// ProcessOf returns the process with a number, or with a thread of this number; 0 if it does not exist.
func ProcessOf(number int) int {
	status, _ := process.StatusOf(number)
	return status.PID
}

// tickNS is the unit of the CPU times in /proc/PID/stat: USER_HZ is 100 on every architecture
// that timebench supports.
const tickNS = 1e9 / 100

// A usage is the CPU time of a process since the beginning of the profile, by the accounting of the kernel.
type usage struct{ userNS, systemNS float64 }

// system returns the share of system time in the CPU time; false if it is unknown.
func (u usage) system() (part float64, known bool) {
	if total := u.userNS + u.systemNS; total > 0 {
		return u.systemNS / total, true
	}
	return 0, false
}

// usages are the CPU times of processes at the beginning of the profile, since they started.
type usages map[process.ID]usage

// newUsages reads the CPU times of processes.
func newUsages(pids []int) usages {
	u := usages{}
	for _, pid := range pids {
		if used, id, ok := usageOf(pid); ok {
			u[id] = used
		}
	}
	return u
}

// usageOf returns the CPU time of a process since it started.
func usageOf(pid int) (used usage, id process.ID, ok bool) {
	stat, err := process.Stat(pid)
	return usage{float64(stat.UTime) * tickNS, float64(stat.STime) * tickNS}, process.Of(stat), err == nil
}

// read reads the CPU time of the process of a program. After its end, the last value stands.
func (u usages) read(p *target) {
	if now, id, ok := usageOf(p.pid); ok {
		p.used = usage{now.userNS - u[id].userNS, now.systemNS - u[id].systemNS}
	}
}
