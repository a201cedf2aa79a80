package wake

import (
	"unsafe"

	"github.com/timebench/timebench/internal/machine/native"
	"golang.org/x/sys/unix"
)

// entersyscallblock tells the scheduler that this thread will be in a system call for long: it takes the thread's P away
// at once. exitsyscall waits for a P. Both are open to other packages (go.dev/issue/67401).
//
//go:linkname entersyscallblock runtime.entersyscallblock
func entersyscallblock()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()

// A callTurn is one sleep of a system call.
type callTurn struct {
	call       *sleepingCall
	args       args          // of the call
	span, wait unix.Timespec // the length, and the same rounded up to the unit of the call
	late       int64
	result     int // of the call: a negative errno on failure
}

// turn prepares a sleep.
func (c *sleepingCall) turn(span int64) callTurn {
	unit := max(1, c.unit)
	units := (span + unit - 1) / unit
	t := callTurn{call: c, args: c.args, span: unix.NsecToTimespec(span), wait: unix.NsecToTimespec(units * unit)}
	if c.milliseconds > 0 {
		t.args[c.milliseconds] = uintptr(units)
	}
	return t
}

func (t *callTurn) err() error {
	errno := unix.Errno(-t.result)
	if t.result >= 0 || errno == unix.ETIMEDOUT || errno == unix.ETIME {
		return nil
	}
	return errno
}

// inTurn has sleepers sleep, until that many ns are over, and returns how many did: one at least.
func inTurn(sleepers []sleeper, turns []turn, most int64) (slept int) {
	var calls []callTurn
	for _, t := range turns {
		c, ok := sleepers[t.way].(*sleepingCall)
		if !ok {
			break
		}
		calls = append(calls, c.turn(t.span))
	}
	if calls == nil {
		turns[0].late, turns[0].err = sleepers[turns[0].way].sleep(turns[0].span)
		return 1
	}
	slept = outside(calls, most)
	for i := range calls[:slept] {
		turns[i].late, turns[i].err = calls[i].late, calls[i].err()
	}
	return slept
}

// outside sleeps in turn outside of Go's scheduler. As long as a thread has a P, a thread of the Go runtime (sysmon) wakes
// up every 10 ms, and a CPU that is woken up so often enters no deep idle state: a sleep of 10 ms would end earlier than in
// C.
//
// It is one system call for the runtime, so the garbage collector neither waits for it nor moves the stack. What it calls
// may not grow the stack (nosplit), which would end the program at once, allocates nothing, and stores no pointer. The
// caller keeps the turns alive, and they their calls.
//
//go:nosplit
//go:norace
func outside(turns []callTurn, most int64) (slept int) {
	entersyscallblock()
	for left := most; slept < len(turns) && (slept == 0 || left > 0); slept++ {
		t := &turns[slept]
		t.sleep()
		left -= t.span.Nano() + t.late
	}
	exitsyscall()
	return slept
}

// sleep sleeps once.
//
//go:nosplit
//go:norace
func (t *callTurn) sleep() {
	const second = 1e9
	c, wait := t.call, t.wait
	_, _ = unix.RawSyscallNoError(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&c.clock)), 0)
	deadline := unix.Timespec{Sec: c.clock.Sec + t.span.Sec, Nsec: c.clock.Nsec + t.span.Nsec}
	if deadline.Nsec >= second {
		deadline.Sec, deadline.Nsec = deadline.Sec+1, deadline.Nsec-second
	}
	if c.absolute {
		wait = deadline
	}
	c.time = [2]int{int(wait.Sec), int(wait.Nsec)}
	c.time64 = [2]int64{int64(wait.Sec), int64(wait.Nsec)} //nolint:unconvert // of 32 bits on some CPUs
	if c.armed {
		if t.result = native.CallTimed(unix.SYS_TIMERFD_SETTIME, &c.arming, &c.clock); t.result < 0 {
			return // a read of a timer that is not armed never ends
		}
	}
	t.result = native.CallTimed(c.number, &t.args, &c.clock)
	t.late = c.clock.Nano() - deadline.Nano()
}
