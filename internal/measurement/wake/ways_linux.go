package wake

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An argument with one of these values becomes the address of that field of its sleepingCall.
const (
	toTime = ^uintptr(iota)
	toTime64
	toRing
	toWord
)

// poll is the number of poll(2) on the CPUs that have it. On others the C library makes ppoll(2) of it.
var poll = map[string]uintptr{"386": 168, "amd64": 7, "arm": 168, "ppc64le": 167, "s390x": 168}

const noCall = ^uintptr(0) // a system call that this CPU lacks; it is not made

// systemWays are the ways of Linux. A way in milliseconds stands after its twin in nanoseconds.
var systemWays = []Way{
	{ID: "nanosleep@syscall", Call: "nanosleep(2)", open: call{number: unix.SYS_NANOSLEEP, args: args{toTime}}.open},
	{ID: "clock_nanosleep@syscall", Call: "clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME)",
		open: call{number: unix.SYS_CLOCK_NANOSLEEP, absolute: true,
			args: args{unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, toTime}}.open},
	{ID: "timerfd@syscall", slackless: true, Call: "timerfd_settime(TFD_TIMER_ABSTIME), read(2)",
		open: call{number: unix.SYS_READ, file: timerFD, absolute: true, armed: true,
			args: args{0, toWord, unsafe.Sizeof(sleepingCall{}.word)}}.open},
	{ID: "ppoll@syscall", Call: "ppoll(2)", open: call{number: unix.SYS_PPOLL, args: args{0, 0, toTime}}.open},
	{ID: "poll@syscall", Call: "poll(2), in ms", twin: "ppoll@syscall", twinLayer: Rounding,
		open: call{number: cmp.Or(poll[runtime.GOARCH], noCall), unit: 1e6, milliseconds: 2}.open},
	// glibc and musl make pselect6 of select.
	{ID: "select@syscall", Call: "pselect6(2), in µs as select(3)",
		open: call{number: unix.SYS_PSELECT6, unit: 1000, args: args{0, 0, 0, 0, toTime}}.open},
	// epoll watches no file, so it writes no event to the word.
	{ID: "epoll_pwait2@syscall", Call: "epoll_pwait2(2)",
		open: call{number: unix.SYS_EPOLL_PWAIT2, file: epoll, args: args{0, toWord, 1, toTime64}}.open},
	{ID: "epoll_wait@syscall", Call: "epoll_wait(2), in ms", twin: "epoll_pwait2@syscall", twinLayer: Rounding,
		open: call{number: unix.SYS_EPOLL_PWAIT, file: epoll, unit: 1e6, milliseconds: 3, args: args{0, toWord, 1}}.open},
	{ID: "futex@syscall", Call: "futex(FUTEX_WAIT_BITSET)", // private
		open: call{number: unix.SYS_FUTEX, absolute: true, args: args{toWord, 9 | 128, 0, toTime, 0, 1}}.open},
	{ID: "io_uring@syscall", slackless: true, Call: "io_uring_enter(IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG)",
		open: call{number: unix.SYS_IO_URING_ENTER, file: ring, args: args{0, 0, 1, 1 | 8, toRing, 3 * 8}}.open},
}

// A call is a system call that sleeps: until an absolute deadline, or for a time.
type call struct {
	number       uintptr
	args         args
	file         func() (int, error) // the first argument; nil without a file
	absolute     bool
	armed        bool   // a timerfd, which is armed before the call
	unit         uint32 // of its time in ns, to which every caller rounds it up; 0 is 1
	milliseconds int    // the number of the argument with the time in ms; 0 without
}

type args = [6]uintptr

// A sleepingCall is a call with its memory. It is on the heap, where it does not move.
type sleepingCall struct {
	call
	interval, time [2]int    // struct itimerspec, and its second part: struct timespec
	time64         [2]int64  // struct __kernel_timespec, which has 64 bits on every CPU
	ring           [3]uint64 // struct io_uring_getevents_arg, by which liburing waits: without a signal mask
	word           uint64    // a futex, or where the kernel writes how often a timerfd expired
	clock          unix.Timespec
	arming         args     // of timerfd_settime(2); 0 without
	opened         *os.File // closes the file when nothing refers to it
}

func (c call) open() (sleeper, error) {
	if c.number == noCall {
		return nil, unix.ENOSYS
	}
	c.unit = max(1, c.unit)
	s := &sleepingCall{call: c}
	s.ring[2] = uint64(uintptr(unsafe.Pointer(&s.time64)))
	fields := map[uintptr]unsafe.Pointer{toTime: unsafe.Pointer(&s.time), toTime64: unsafe.Pointer(&s.time64),
		toRing: unsafe.Pointer(&s.ring), toWord: unsafe.Pointer(&s.word)}
	for i, argument := range s.args {
		if field := fields[argument]; field != nil {
			s.args[i] = uintptr(field)
		}
	}
	if c.file != nil {
		fd, err := c.file()
		if err != nil {
			return nil, err
		}
		s.args[0], s.opened = uintptr(fd), os.NewFile(uintptr(fd), "")
		if c.armed {
			s.arming = args{uintptr(fd), unix.TFD_TIMER_ABSTIME, uintptr(unsafe.Pointer(&s.interval))}
		}
	}
	return s, nil
}

func (c *sleepingCall) sleep(span int64) (late int64, err error) {
	one := []turn{{span: span}}
	_, err = inTurn([]sleeper{c}, one, 0)
	return one[0].late, err
}

func epoll() (int, error) { return unix.EpollCreate1(unix.EPOLL_CLOEXEC) }

func timerFD() (int, error) { return unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC) }

// ring opens a ring: Linux has its timeout since 5.11, and rounds it up to jiffies before 5.18.
func ring() (int, error) {
	parameters := new([120]byte) // struct io_uring_params of include/uapi/linux/io_uring.h
	fd, _, errno := unix.RawSyscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(parameters)), 0)
	if errno != 0 {
		return 0, fmt.Errorf("io_uring_setup(2): %w", errno)
	}
	return int(fd), nil
}
