package profile

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/timebench/timebench/internal/instrument/perfevent"
	"golang.org/x/sys/unix"
)

// tracepoints are those at the beginning of the system calls that read a clock. Not every
// architecture has all.
var tracepoints = []string{"syscalls/sys_enter_clock_gettime", "syscalls/sys_enter_gettimeofday", "syscalls/sys_enter_time"}

// counts are the system calls of clocks of some processes, counted by the kernel.
type counts struct{ byPID map[int]*perfevent.Counter }

// openCounts opens the counters of processes. Those that are not named may have none: what they started before. onExec is
// whether they count from the next execve(2) of the process on.
func openCounts(pids, named []int, onExec bool) (*counts, error) {
	var points []uint64
	for _, name := range tracepoints {
		point, err := perfevent.Tracepoint(name)
		switch {
		case err == nil:
			points = append(points, point)
		case errors.Is(err, fs.ErrNotExist) && len(points) > 0: // another architecture
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("--count: %w: as root, mount -t tracefs tracefs /sys/kernel/tracing (the kernel needs CONFIG_FTRACE_SYSCALLS), or omit --count", err)
		default:
			return nil, fmt.Errorf("--count: %w: it needs root; omit --count", err)
		}
	}
	c := &counts{byPID: map[int]*perfevent.Counter{}}
	for _, pid := range pids {
		counter, err := openCounter(pid, points, onExec)
		if err != nil && !slices.Contains(named, pid) {
			continue
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("--count: process %d: %w", pid, explained(err)), c.close())
		}
		c.byPID[pid] = counter
	}
	return c, nil
}

// openCounter opens the counters of all threads of a process. A thread that starts meanwhile is
// counted if the one that starts it is counted already, and otherwise not. So it opens them again
// until none has started.
func openCounter(pid int, points []uint64, onExec bool) (*perfevent.Counter, error) {
	const tries = 10
	for range tries {
		counter, threads := &perfevent.Counter{}, threadsOf(pid)
		for _, tid := range threads {
			for _, point := range points {
				if err := counter.Open(point, tid, onExec); err != nil && !errors.Is(err, unix.ESRCH) {
					return nil, errors.Join(err, counter.Close())
				}
			}
		}
		if !slices.ContainsFunc(threadsOf(pid), func(tid int) bool { return !slices.Contains(threads, tid) }) {
			return counter, nil
		}
		if err := counter.Close(); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("it starts threads all the time; omit --count")
}

func (c *counts) each(do func(*perfevent.Counter) error) error {
	var all error
	if c != nil {
		for _, counter := range c.byPID {
			all = errors.Join(all, do(counter))
		}
	}
	return all
}

func (c *counts) start() error { return c.each((*perfevent.Counter).Start) }
func (c *counts) stop() error  { return c.each((*perfevent.Counter).Stop) }
func (c *counts) close() error { return c.each((*perfevent.Counter).Close) }

// of returns the number of system calls of a process and of those that it started; false if they
// are not counted.
func (c *counts) of(pid int) (calls float64, ok bool) {
	if c == nil || c.byPID[pid] == nil {
		return 0, false
	}
	n, err := c.byPID[pid].Count()
	return float64(n), err == nil
}
