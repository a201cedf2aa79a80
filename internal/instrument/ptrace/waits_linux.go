package ptrace

import (
	"encoding/binary"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
)

// A timed is a system call that may wait until a time.
type timed struct {
	name string
	// argument is the position of the argument with the time, and unit its unit in ns. Where it is not milliseconds, it
	// is the address of words: after skipped words the seconds, then the units.
	argument int
	unit     int64
	skipped  int
	// wide is whether the words have 64 bits on every CPU.
	wide bool
	// until returns the clock of a deadline, or false if the time is a span; nil if it always is.
	until func(args []uint64) (clock int32, deadline bool)
}

const milliseconds = 1e6

func untilFlag(args []uint64) (int32, bool) { return int32(args[0]), args[1]&unix.TIMER_ABSTIME != 0 }

func untilMonotonic(args []uint64) (int32, bool) {
	return unix.CLOCK_MONOTONIC, args[1]&unix.TFD_TIMER_ABSTIME != 0
}

// The operations of futex(2).
const (
	futexWait, futexWaitBitset      = 0, 9
	futexOperation, futexOfRealtime = 127, 256
)

func untilFutex(args []uint64) (int32, bool) {
	if args[1]&futexOfRealtime != 0 {
		return unix.CLOCK_REALTIME, args[1]&futexOperation == futexWaitBitset
	}
	return unix.CLOCK_MONOTONIC, args[1]&futexOperation == futexWaitBitset
}

var timeds = map[uint64]timed{
	unix.SYS_NANOSLEEP:       {name: "nanosleep", argument: 0, unit: 1},
	unix.SYS_CLOCK_NANOSLEEP: {name: "clock_nanosleep", argument: 2, unit: 1, until: untilFlag},
	unix.SYS_FUTEX:           {name: "futex", argument: 3, unit: 1, until: untilFutex},
	unix.SYS_EPOLL_PWAIT:     {name: "epoll_pwait", argument: 3, unit: milliseconds},
	unix.SYS_EPOLL_PWAIT2:    {name: "epoll_pwait2", argument: 3, unit: 1, wide: true},
	unix.SYS_PPOLL:           {name: "ppoll", argument: 2, unit: 1},
	unix.SYS_PSELECT6:        {name: "pselect6", argument: 4, unit: 1},
	unix.SYS_TIMERFD_SETTIME: {name: "timerfd_settime", argument: 2, unit: 1, skipped: 2, until: untilMonotonic},
}

// time64 are the calls of 32-bit CPUs that take a time of 64 bits, as C libraries do since 2020, and their older twins.
// The numbers are the same on all CPUs (include/uapi/asm-generic/unistd.h).
var time64 = map[uint64]uint64{
	407: unix.SYS_CLOCK_NANOSLEEP, 411: unix.SYS_TIMERFD_SETTIME, 413: unix.SYS_PSELECT6, 414: unix.SYS_PPOLL,
	422: unix.SYS_FUTEX,
}

// older are the numbers of poll, select and epoll_wait on the CPUs that have them.
var older = map[string][3]uint64{
	"386": {168, 142, 256}, "amd64": {7, 23, 232}, "arm": {168, 142, 252}, "ppc64le": {167, 142, 238},
	"s390x": {168, 142, 250},
}

func init() {
	if numbers, ok := older[runtime.GOARCH]; ok {
		timeds[numbers[0]] = timed{name: "poll", argument: 2, unit: milliseconds}
		timeds[numbers[1]] = timed{name: "select", argument: 4, unit: 1000}
		timeds[numbers[2]] = timed{name: "epoll_wait", argument: 3, unit: milliseconds}
	}
	if wordSize == 4 {
		for number, twin := range time64 {
			t := timeds[twin]
			t.wide = true
			timeds[number] = t
		}
	}
}

// waitOf returns how long a system call of a stopped thread waits at most; false if it does not wait, or has no limit.
func waitOf(tid int, call *syscallInfo) (Wait, bool) {
	t, known := timeds[call.nr]
	args := call.args[:]
	operations := []uint64{futexWait, futexWaitBitset}
	if !known || t.name == "futex" && !slices.Contains(operations, args[1]&futexOperation) {
		return Wait{}, false
	}
	w := Wait{Call: t.name}
	if t.unit == milliseconds {
		w.NS = int64(int32(args[t.argument])) * t.unit
		return w, w.NS > 0
	}
	size := wordSize
	if t.wide {
		size = 8
	}
	words := make([]byte, 2*size)
	if n, _ := unix.PtracePeekData(tid, uintptr(args[t.argument])+uintptr(t.skipped*size), words); n < len(words) {
		return Wait{}, false
	}
	w.NS = word(words[:size])*1e9 + word(words[size:])*t.unit
	if t.until != nil && w.NS > 0 {
		if clock, deadline := t.until(args); deadline {
			var now unix.Timespec
			if unix.ClockGettime(clock, &now) != nil {
				return Wait{}, false
			}
			w.NS, w.Deadline = w.NS-now.Nano(), true
		}
	}
	return w, w.NS > 0
}

// word returns the number in the bytes of a word.
func word(bytes []byte) int64 {
	if len(bytes) == 4 {
		return int64(int32(binary.NativeEndian.Uint32(bytes)))
	}
	return int64(binary.NativeEndian.Uint64(bytes))
}
