package watch

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// A sleeper sleeps on a thread of its own, so that the kernel's account of that thread tells how long
// it waited for a CPU after the sleep.
type sleeper struct {
	// account is /proc/thread-self/schedstat; nil if the kernel has none (CONFIG_SCHED_INFO).
	account *os.File
}

// newSleeper locks the goroutine to its thread, which ends with it.
func newSleeper() *sleeper {
	runtime.LockOSThread()
	account, err := os.Open("/proc/thread-self/schedstat")
	if err != nil {
		account = nil
	}
	return &sleeper{account}
}

// sleep sleeps by CLOCK_MONOTONIC, and returns the moment of its end.
func (s *sleeper) sleep(interval time.Duration) moment {
	left, waited, begun := unix.NsecToTimespec(int64(interval)), s.waited(), nanoseconds(unix.CLOCK_MONOTONIC)
	for {
		// The runtime preempts goroutines by signals, which interrupt the call.
		if err := unix.Nanosleep(&left, &left); err != unix.EINTR {
			break
		}
	}
	m := now()
	m.sleptNS = int64(interval)
	if after := s.waited(); waited >= 0 && after >= waited {
		m.lateNS = m.monotonicNS - begun - m.sleptNS - (after - waited)
	}
	return m
}

// now reads the clocks: the wall clock between two readings of the others. Each is a system call; in one
// second this matters as little as the time between them.
func now() moment {
	m := moment{at: time.Now(), countsSuspend: true, errorNS: 1 << 62}
	for range 5 { // the tightest of some: a thread can lose its CPU between two of them
		before := nanoseconds(unix.CLOCK_MONOTONIC)
		boot, wall := nanoseconds(unix.CLOCK_BOOTTIME), nanoseconds(unix.CLOCK_REALTIME)
		if error := nanoseconds(unix.CLOCK_MONOTONIC) - before; error < m.errorNS {
			m.monotonicNS, m.bootNS, m.wallNS, m.errorNS = before, boot, wall, error
		}
	}
	return m
}

func nanoseconds(id int32) int64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(id, &ts) // the ids are known to every kernel that Go supports
	return ts.Nano()
}

// waited returns the second number of schedstat: nanoseconds on a run queue
// (Documentation/scheduler/sched-stats.rst); -1 if it is not known.
func (s *sleeper) waited() int64 {
	if s.account == nil {
		return -1
	}
	var text [128]byte
	n, _ := s.account.ReadAt(text[:], 0)
	fields := bytes.Fields(text[:n])
	if len(fields) < 2 {
		return -1
	}
	ns, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return -1
	}
	return ns
}

// close closes the account.
func (s *sleeper) close() {
	if s.account != nil {
		_ = s.account.Close()
	}
}
