package wake

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/native"
	"golang.org/x/sys/unix"
)

// An argument with one of these values becomes the address of the time or of the word of its sleepingCall.
const (
	toTime = ^uintptr(iota)
	toWord
)

// poll is the number of poll(2) on the CPUs that have it. On others the C library makes ppoll(2) of it.
var poll = map[string]uintptr{"386": 168, "amd64": 7, "arm": 168, "ppc64le": 167, "s390x": 168}

const noCall = ^uintptr(0) // a system call that this CPU lacks; it is not made

// systemWays are the ways of Linux. A way in milliseconds stands after its twin in nanoseconds.
var systemWays = []Way{
	{ID: "nanosleep@syscall", Call: "nanosleep(2)", open: call(unix.SYS_NANOSLEEP, nil, relative(1), toTime)},
	{ID: "clock_nanosleep@syscall", Call: "clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME)",
		open: call(unix.SYS_CLOCK_NANOSLEEP, nil, absolute, unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, toTime)},
	{ID: "timerfd@syscall", slackless: true, Call: "timerfd_settime(TFD_TIMER_ABSTIME), read(2)",
		open: call(unix.SYS_READ, timerFD, settime, 0, toWord, unsafe.Sizeof(sleepingCall{}.word))},
	{ID: "ppoll@syscall", Call: "ppoll(2)", open: call(unix.SYS_PPOLL, nil, relative(1), 0, 0, toTime)},
	{ID: "poll@syscall", Call: "poll(2), in ms", twin: "ppoll@syscall", twinLayer: Rounding,
		open: call(cmp.Or(poll[runtime.GOARCH], noCall), nil, milliseconds(2), 0, 0)},
	// glibc and musl make pselect6 of select.
	{ID: "select@syscall", Call: "pselect6(2), in µs as select(3)",
		open: call(unix.SYS_PSELECT6, nil, relative(1000), 0, 0, 0, 0, toTime)},
	// epoll watches no file, so it writes no event to the word.
	{ID: "epoll_pwait2@syscall", Call: "epoll_pwait2(2)",
		open: call(unix.SYS_EPOLL_PWAIT2, epoll, relative64, 0, toWord, 1, toTime)},
	{ID: "epoll_wait@syscall", Call: "epoll_wait(2), in ms", twin: "epoll_pwait2@syscall", twinLayer: Rounding,
		open: call(unix.SYS_EPOLL_PWAIT, epoll, milliseconds(3), 0, toWord, 1)},
	{ID: "futex@syscall", Call: "futex(FUTEX_WAIT_BITSET)", // private
		open: call(unix.SYS_FUTEX, nil, absolute, toWord, 9|128, 0, toTime, 0, 1)},
	{ID: "io_uring@syscall", slackless: true, Call: "io_uring_enter(IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG)",
		open: call(unix.SYS_IO_URING_ENTER, ring, ringTimeout, 0, 0, 1, 1|8, toTime, 3*8)},
}

// monotonic returns CLOCK_MONOTONIC, as [native.CallTimed] reads it.
func monotonic() int64 { return observe.CallNS(unix.CLOCK_MONOTONIC) }

// A sleepingCall is a raw system call that sleeps. It is on the heap, where it does not move.
type sleepingCall struct {
	args [6]uintptr
	at   [5]int64 // where the kernel reads the time
	word uint64   // a futex, or where the kernel writes how often a timerfd expired
	woke unix.Timespec
	file *os.File // closes the file of the call when nothing refers to it
}

// A setter sets the time until a deadline, or returns why the call cannot sleep until it.
type setter func(c *sleepingCall, deadline int64) error

// call opens a system call with these arguments; on a file, that is the first one.
func call(number uintptr, file func() (int, error), set setter, args ...uintptr) func() (sleeper, error) {
	return func() (sleeper, error) {
		if number == noCall {
			return nil, unix.ENOSYS
		}
		c := new(sleepingCall)
		for i, argument := range args {
			switch argument {
			case toTime:
				argument = uintptr(unsafe.Pointer(&c.at))
			case toWord:
				argument = uintptr(unsafe.Pointer(&c.word))
			}
			c.args[i] = argument
		}
		if file != nil {
			fd, err := file()
			if err != nil {
				return nil, err
			}
			c.args[0], c.file = uintptr(fd), os.NewFile(uintptr(fd), "")
		}
		return func(span int64) (int64, error) {
			deadline := monotonic() + span
			if err := set(c, deadline); err != nil {
				return 0, err
			}
			result := native.CallTimed(number, &c.args, &c.woke)
			if errno := unix.Errno(-result); result < 0 && errno != unix.ETIMEDOUT && errno != unix.ETIME {
				return 0, errno
			}
			return c.woke.Nano() - deadline, nil
		}, nil
	}
}

func absolute(c *sleepingCall, deadline int64) error {
	*(*unix.Timespec)(unsafe.Pointer(&c.at)) = unix.NsecToTimespec(deadline)
	return nil
}

// left returns the time until a deadline, rounded up to whole units in ns, as every caller of such a call must.
func left(deadline, unit int64) int64 { return (max(0, deadline-monotonic()) + unit - 1) / unit * unit }

// relative is of a call that takes the time that is left, in these units of ns.
func relative(unit int64) setter {
	return func(c *sleepingCall, deadline int64) error { return absolute(c, left(deadline, unit)) }
}

// relative64 is of struct __kernel_timespec, which has 64 bits on every CPU.
func relative64(c *sleepingCall, deadline int64) error {
	ns := left(deadline, 1)
	c.at[0], c.at[1] = ns/1e9, ns%1e9
	return nil
}

// milliseconds is of a call with the time that is left in ms in this argument.
func milliseconds(argument int) setter {
	return func(c *sleepingCall, deadline int64) error {
		c.args[argument] = uintptr(left(deadline, 1e6) / 1e6)
		return nil
	}
}

func epoll() (int, error) { return unix.EpollCreate1(unix.EPOLL_CLOEXEC) }

func timerFD() (int, error) { return unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC) }

// settime arms a timerfd, so that a read waits for it.
func settime(c *sleepingCall, deadline int64) error {
	*(*unix.ItimerSpec)(unsafe.Pointer(&c.at)) = unix.ItimerSpec{Value: unix.NsecToTimespec(deadline)}
	_, _, errno := unix.RawSyscall6(unix.SYS_TIMERFD_SETTIME, c.args[0], unix.TFD_TIMER_ABSTIME, uintptr(unsafe.Pointer(&c.at)), 0, 0, 0)
	if errno != 0 { // a read of a timer that is not armed never ends
		return fmt.Errorf("timerfd_settime(2): %w", errno)
	}
	return nil
}

func ring() (int, error) {
	parameters := new([120]byte) // struct io_uring_params of include/uapi/linux/io_uring.h
	fd, _, errno := unix.RawSyscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(parameters)), 0)
	if errno != 0 {
		return 0, fmt.Errorf("io_uring_setup(2): %w", errno)
	}
	return int(fd), nil
}

// ringTimeout sets struct io_uring_getevents_arg, by which liburing waits for a completion (io_uring_wait_cqe_timeout).
// Linux has it since 5.11, and rounds it up to jiffies before 5.18.
func ringTimeout(c *sleepingCall, deadline int64) error {
	ns := left(deadline, 1)
	c.at = [5]int64{2: int64(uintptr(unsafe.Pointer(&c.at[3]))), 3: ns / 1e9, 4: ns % 1e9} // without a signal mask
	return nil
}
