package wake

import (
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"github.com/timebench/timebench/internal/machine/native"
	"golang.org/x/sys/unix"
)

// poll is the number of poll(2) on the CPUs that have it. On others the C library makes ppoll(2) of it.
var poll = map[string]uintptr{"386": 168, "amd64": 7, "arm": 168, "ppc64le": 167, "s390x": 168}

// systemWays are the ways of Linux. A way in milliseconds stands after its twin in nanoseconds.
var systemWays = []Way{
	{ID: "nanosleep@syscall", Call: "nanosleep(2)", open: timed(unix.SYS_NANOSLEEP, relative,
		func(at uintptr, _ *cleanup) ([6]uintptr, error) { return [6]uintptr{at}, nil })},
	{ID: "clock_nanosleep@syscall", Call: "clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME)",
		open: timed(unix.SYS_CLOCK_NANOSLEEP, absolute, func(at uintptr, _ *cleanup) ([6]uintptr, error) {
			return [6]uintptr{unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, at}, nil
		})},
	{ID: "timerfd@syscall", Call: "timerfd_settime(TFD_TIMER_ABSTIME), read(2)", open: timerFD},
	{ID: "ppoll@syscall", Call: "ppoll(2)", open: timed(unix.SYS_PPOLL, relative,
		func(at uintptr, _ *cleanup) ([6]uintptr, error) { return [6]uintptr{0, 0, at}, nil })},
	{ID: "poll@syscall", Call: "poll(2), in ms", twin: "ppoll@syscall", twinLayer: Rounding,
		open: inMilliseconds(poll[runtime.GOARCH], 2, func(*cleanup) ([6]uintptr, error) { return [6]uintptr{}, nil })},
	// glibc and musl make pselect6 of select.
	{ID: "select@syscall", Call: "pselect6(2), in µs as select(3)", open: timed(unix.SYS_PSELECT6, relativeMicroseconds,
		func(at uintptr, _ *cleanup) ([6]uintptr, error) { return [6]uintptr{4: at}, nil })},
	{ID: "epoll_pwait2@syscall", Call: "epoll_pwait2(2)", open: timed(unix.SYS_EPOLL_PWAIT2, relative64,
		func(at uintptr, c *cleanup) ([6]uintptr, error) {
			args, err := epoll(c)
			args[3] = at
			return args, err
		})},
	{ID: "epoll_wait@syscall", Call: "epoll_wait(2), in ms", twin: "epoll_pwait2@syscall", twinLayer: Rounding,
		open: inMilliseconds(unix.SYS_EPOLL_PWAIT, 3, epoll)},
	{ID: "futex@syscall", Call: "futex(FUTEX_WAIT_BITSET)", open: timed(unix.SYS_FUTEX, absolute,
		func(at uintptr, c *cleanup) ([6]uintptr, error) {
			const waitBitset, private = 9, 128
			word := new(uint32)
			c.add(func() { *word = 0 }) // it lives until then
			return [6]uintptr{uintptr(unsafe.Pointer(word)), waitBitset | private, 0, at, 0, math.MaxUint32}, nil
		})},
	{ID: "io_uring@syscall", Call: "io_uring_enter(2), IORING_OP_TIMEOUT", open: ioUring},
}

// monotonic returns CLOCK_MONOTONIC, as [native.CallTimed] reads it.
func monotonic() int64 {
	var at unix.Timespec
	_, _, _ = unix.RawSyscall6(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&at)), 0, 0, 0, 0)
	return at.Nano()
}

// A sleepingCall is a raw system call that sleeps. It is on the heap, where it does not move.
type sleepingCall struct {
	number uintptr
	args   [6]uintptr
	woke   unix.Timespec
}

// until makes the call, and returns by how much it ended later than the deadline.
func (c *sleepingCall) until(deadline int64) (late int64, err error) {
	result := native.CallTimed(c.number, &c.args, &c.woke)
	if errno := unix.Errno(-result); result < 0 && errno != unix.ETIMEDOUT {
		return 0, errno
	}
	return c.woke.Nano() - deadline, nil
}

// A timeout writes the time of a deadline where the kernel reads it.
type timeout func(at *[2]int64, deadline int64)

func absolute(at *[2]int64, deadline int64) {
	*(*unix.Timespec)(unsafe.Pointer(at)) = unix.NsecToTimespec(deadline)
}

func relative(at *[2]int64, deadline int64) { absolute(at, max(0, deadline-monotonic())) }

// relative64 has 64 bits on every CPU.
func relative64(at *[2]int64, deadline int64) {
	left := max(0, deadline-monotonic())
	at[0], at[1] = left/1e9, left%1e9
}

func relativeMicroseconds(at *[2]int64, deadline int64) {
	absolute(at, (max(0, deadline-monotonic())+999)/1000*1000)
}

// timed opens a system call with a struct timespec. arguments returns its arguments from the address of that.
func timed(number uintptr, set timeout, arguments func(at uintptr, c *cleanup) ([6]uintptr, error)) func(*cleanup) (sleeper,
	error) {
	return func(c *cleanup) (sleeper, error) {
		at, call := new([2]int64), &sleepingCall{number: number}
		var err error
		call.args, err = arguments(uintptr(unsafe.Pointer(at)), c)
		return func(span int64) (int64, error) {
			deadline := monotonic() + span
			set(at, deadline)
			return call.until(deadline)
		}, err
	}
}

// inMilliseconds opens a system call whose argument at this place is a time in ms, rounded up as every caller must. Its
// number is 0 if this CPU lacks it.
func inMilliseconds(number uintptr, place int, arguments func(c *cleanup) ([6]uintptr, error)) func(*cleanup) (sleeper,
	error) {
	return func(c *cleanup) (sleeper, error) {
		if number == 0 {
			return nil, unix.ENOSYS
		}
		call := &sleepingCall{number: number}
		var err error
		call.args, err = arguments(c)
		return func(span int64) (int64, error) {
			deadline := monotonic() + span
			call.args[place] = uintptr((max(0, deadline-monotonic()) + 999_999) / 1_000_000)
			return call.until(deadline)
		}, err
	}
}

// epoll returns the arguments of epoll_pwait(2) and epoll_pwait2(2), without the timeout.
func epoll(c *cleanup) ([6]uintptr, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return [6]uintptr{}, fmt.Errorf("epoll_create1(2): %w", err)
	}
	events := new([1]unix.EpollEvent)
	c.add(func() { *events, _ = [1]unix.EpollEvent{}, unix.Close(fd) })
	return [6]uintptr{uintptr(fd), uintptr(unsafe.Pointer(events)), 1}, nil
}

func timerFD(c *cleanup) (sleeper, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("timerfd_create(2): %w", err)
	}
	c.add(func() { _ = unix.Close(fd) })
	at, expired := new(unix.ItimerSpec), new(uint64)
	read := &sleepingCall{number: unix.SYS_READ,
		args: [6]uintptr{uintptr(fd), uintptr(unsafe.Pointer(expired)), unsafe.Sizeof(*expired)}}
	return func(span int64) (int64, error) {
		deadline := monotonic() + span
		at.Value = unix.NsecToTimespec(deadline)
		if _, _, errno := unix.RawSyscall6(unix.SYS_TIMERFD_SETTIME, uintptr(fd), unix.TFD_TIMER_ABSTIME,
			uintptr(unsafe.Pointer(at)), 0, 0, 0); errno != 0 {
			return 0, errno
		}
		late, err := read.until(deadline)
		*expired = 0
		return late, err
	}, nil
}
