package wake

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/timebench/timebench/internal/instrument/observe"
	"golang.org/x/sys/unix"
)

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
		open: inMilliseconds(sysPoll, 2, func(*cleanup) ([6]uintptr, error) { return [6]uintptr{}, nil })},
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

// call makes a raw system call and returns by how much it ended later than the deadline.
func call(deadline int64, number uintptr, args *[6]uintptr) (late int64, err error) {
	_, _, errno := unix.RawSyscall6(number, args[0], args[1], args[2], args[3], args[4], args[5])
	late = observe.Now() - deadline
	if errno != 0 && errno != unix.ETIMEDOUT {
		return 0, errno
	}
	return late, nil
}

// A timeout writes the time of a deadline where the kernel reads it.
type timeout func(at *[2]int64, deadline int64)

func absolute(at *[2]int64, deadline int64) {
	*(*unix.Timespec)(unsafe.Pointer(at)) = unix.NsecToTimespec(deadline)
}

func relative(at *[2]int64, deadline int64) { absolute(at, max(0, deadline-observe.Now())) }

// relative64 has 64 bits on every CPU.
func relative64(at *[2]int64, deadline int64) {
	left := max(0, deadline-observe.Now())
	at[0], at[1] = left/1e9, left%1e9
}

func relativeMicroseconds(at *[2]int64, deadline int64) {
	absolute(at, (max(0, deadline-observe.Now())+999)/1000*1000)
}

// timed opens a system call with a struct timespec. arguments returns its arguments from the address of that.
func timed(number uintptr, set timeout, arguments func(at uintptr, c *cleanup) ([6]uintptr, error)) func(*cleanup) (sleeper,
	error) {
	return func(c *cleanup) (sleeper, error) {
		at, args := new([2]int64), new([6]uintptr) // on the heap, where they do not move
		var err error
		*args, err = arguments(uintptr(unsafe.Pointer(at)), c)
		return func(span int64) (int64, error) {
			deadline := observe.Now() + span
			set(at, deadline)
			return call(deadline, number, args)
		}, err
	}
}

// inMilliseconds opens a system call whose argument at this place is a time in ms, rounded up as every caller must.
func inMilliseconds(number uintptr, place int, arguments func(c *cleanup) ([6]uintptr, error)) func(*cleanup) (sleeper,
	error) {
	return func(c *cleanup) (sleeper, error) {
		if number == noCall {
			return nil, unix.ENOSYS
		}
		args := new([6]uintptr)
		var err error
		*args, err = arguments(c)
		return func(span int64) (int64, error) {
			deadline := observe.Now() + span
			args[place] = uintptr((max(0, deadline-observe.Now()) + 999_999) / 1_000_000)
			return call(deadline, number, args)
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
	read := &[6]uintptr{uintptr(fd), uintptr(unsafe.Pointer(expired)), unsafe.Sizeof(*expired)}
	return func(span int64) (int64, error) {
		deadline := observe.Now() + span
		at.Value = unix.NsecToTimespec(deadline)
		if _, _, errno := unix.RawSyscall6(unix.SYS_TIMERFD_SETTIME, uintptr(fd), unix.TFD_TIMER_ABSTIME,
			uintptr(unsafe.Pointer(at)), 0, 0, 0); errno != 0 {
			return 0, errno
		}
		late, err := call(deadline, unix.SYS_READ, read)
		*expired = 0
		return late, err
	}, nil
}
