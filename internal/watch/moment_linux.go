package watch

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// A sleeper sleeps, and knows how long the threads of this process waited for a CPU meanwhile. It sleeps as a
// goroutine does: a thread that blocks in nanosleep(2) keeps the runtime's monitor awake, which takes ten times
// the CPU time of all the rest.
type sleeper struct {
	tasks *os.File // /proc/self/task; nil if there is none
	// waitedNS is the sum of waited at the time atNS: to ask takes longer than all the rest of a beat.
	waitedNS, atNS int64
}

// accountEvery is how often waited is called while no sleep is late. What threads waited since then is taken
// from the length of a stall.
const accountEvery = 10 * time.Second

// tight is how long the readings of a moment may take, if they are not to be repeated.
const tight = 10 * time.Microsecond

func newSleeper() *sleeper {
	tasks, err := os.Open("/proc/self/task")
	if err != nil {
		return &sleeper{}
	}
	return &sleeper{tasks: tasks}
}

// sleep sleeps by CLOCK_MONOTONIC, at most until ctx ends, and returns the moment of its end.
func (s *sleeper) sleep(ctx context.Context, interval time.Duration) moment {
	begun := nanoseconds(unix.CLOCK_MONOTONIC)
	if s.atNS == 0 || begun-s.atNS >= int64(accountEvery) {
		s.waitedNS, s.atNS = s.waited(), begun
	}
	pause(ctx, interval)
	m := now()
	m.sleptNS = int64(interval)
	if late := m.monotonicNS - begun - m.sleptNS; late >= int64(minStall) {
		before := s.waitedNS
		s.waitedNS, s.atNS = s.waited(), m.monotonicNS
		if before >= 0 && s.waitedNS >= before {
			m.lateNS = late - (s.waitedNS - before)
		}
	}
	return m
}

// now reads the clocks: the wall clock between two readings of the others. Each is a system call; in one
// second this matters as little as the time between them.
func now() moment {
	m := moment{at: time.Now(), countsSuspend: true, errorNS: 1 << 62}
	for range 3 { // the tightest of some: a thread can lose its CPU between two of them
		before := nanoseconds(unix.CLOCK_MONOTONIC)
		boot, wall := nanoseconds(unix.CLOCK_BOOTTIME), nanoseconds(unix.CLOCK_REALTIME)
		if error := nanoseconds(unix.CLOCK_MONOTONIC) - before; error < m.errorNS {
			m.monotonicNS, m.bootNS, m.wallNS, m.errorNS = before, boot, wall, error
		}
		if m.errorNS <= int64(tight) {
			break
		}
	}
	return m
}

func nanoseconds(id int32) int64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(id, &ts) // the ids are known to every kernel that Go supports
	return ts.Nano()
}

// waited returns how long the threads of this process were ready to run and had no CPU, in nanoseconds; -1 if
// the kernel does not account for that (CONFIG_SCHED_INFO). A thread that ends takes its part with it, and the
// sum is then smaller than before.
func (s *sleeper) waited() int64 {
	if s.tasks == nil {
		return -1
	}
	if _, err := s.tasks.Seek(0, 0); err != nil {
		return -1
	}
	threads, err := s.tasks.Readdirnames(0)
	if err != nil {
		return -1
	}
	sum := int64(0)
	for _, thread := range threads {
		ns, ok := waitedOf(thread)
		if !ok {
			return -1
		}
		sum += ns
	}
	return sum
}

// waitedOf returns the second number of schedstat: nanoseconds on a run queue
// (Documentation/scheduler/sched-stats.rst). A thread that has just ended waited for nothing.
func waitedOf(thread string) (ns int64, ok bool) {
	fd, err := unix.Open("/proc/self/task/"+thread+"/schedstat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		_, gone := os.Stat("/proc/self/task/" + thread)
		return 0, os.IsNotExist(gone)
	}
	defer func() { _ = unix.Close(fd) }()
	var text [128]byte
	n, err := unix.Read(fd, text[:])
	if err != nil {
		return 0, errors.Is(err, unix.ESRCH)
	}
	fields := bytes.Fields(text[:n])
	if len(fields) < 2 {
		return 0, false
	}
	ns, err = strconv.ParseInt(string(fields[1]), 10, 64)
	return ns, err == nil
}

// close closes the folder of the threads.
func (s *sleeper) close() {
	if s.tasks != nil {
		_ = s.tasks.Close()
	}
}
