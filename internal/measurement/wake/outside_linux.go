package wake

import (
	"unsafe"

	"github.com/timebench/timebench/internal/machine/native"
	"golang.org/x/sys/unix"
)

// inTurn has sleepers sleep, until that many ns are over or a sleep fails, and returns how many slept: one at least.
// The error is of the last sleep.
func inTurn(sleepers []sleeper, turns []turn, most int64) (slept int, failed error) {
	if _, ok := sleepers[turns[0].way].(*sleepingCall); !ok {
		turns[0].late, failed = sleepers[turns[0].way].sleep(turns[0].span)
		return 1, failed
	}
	slept, errno := outside(sleepers, turns, most)
	if errno != 0 {
		failed = errno
	}
	return slept, failed
}

// outside has system calls sleep outside of Go's scheduler. While a thread has a P, a thread of the Go runtime (sysmon)
// wakes up every 10 ms. That keeps CPUs from deep idle states, so a sleep of 10 ms would end earlier than in C.
//
// For the runtime it is one system call: the garbage collector neither waits for its end nor moves the stack. The code
// from leave to enter may not grow the stack (nosplit), which would end the program at once, allocates nothing, and
// stores no pointer. The caller keeps the sleepers and the turns alive.
//
//go:nosplit
//go:norace
func outside(sleepers []sleeper, turns []turn, most int64) (slept int, errno unix.Errno) {
	leave()
	for left := most; slept < len(turns) && errno == 0 && (slept == 0 || left > 0); slept++ {
		t := &turns[slept]
		call, ok := sleepers[t.way].(*sleepingCall)
		if !ok {
			break
		}
		t.late, errno = call.once(uint32(t.span))
		left -= t.span + t.late
	}
	enter()
	return slept, errno
}

// once sleeps once for a time in ns, of about [MostSpan] at most. It divides 32 bits: CPUs of 32 bits divide 64 bits by
// a function that may grow the stack.
//
//go:nosplit
//go:norace
func (c *sleepingCall) once(span uint32) (late int64, errno unix.Errno) {
	const second = 1e9
	_, _ = unix.RawSyscallNoError(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&c.clock)), 0)
	begun := int64(c.clock.Nsec)                     //nolint:unconvert // of 32 bits on some CPUs
	sec, ns := int64(c.clock.Sec), begun+int64(span) //nolint:unconvert // as above
	for ; ns >= second; ns -= second {
		sec++
	}
	if !c.absolute {
		units := (span + c.unit - 1) / c.unit
		if c.milliseconds > 0 {
			c.args[c.milliseconds] = uintptr(units)
		}
		sec, ns = 0, int64(units*c.unit)
		for ; ns >= second; ns -= second {
			sec++
		}
	}
	c.time, c.time64 = [2]int{int(sec), int(ns)}, [2]int64{sec, ns}
	start := c.clock
	result := 0
	if c.armed {
		result = native.CallTimed(unix.SYS_TIMERFD_SETTIME, &c.arming, &c.clock)
	}
	if result >= 0 { // a read of a timer that is not armed never ends
		result = native.CallTimed(c.number, &c.args, &c.clock)
	}
	if result < 0 && unix.Errno(-result) != unix.ETIMEDOUT && unix.Errno(-result) != unix.ETIME {
		return 0, unix.Errno(-result)
	}
	return c.clock.Nano() - start.Nano() - int64(span), 0
}
