package ptrace

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/machine/native"
	"golang.org/x/sys/unix"
)

// reads are the system calls that read a clock, whatever their arguments are.
var reads = map[uint64]string{
	unix.SYS_GETRUSAGE: "getrusage",
	unix.SYS_TIMES:     "times",
}

// readOf returns the name of the clock that a system call reads; "" if it reads none.
func readOf(call *syscallInfo) string {
	//nolint:staticcheck // a tagged switch takes no constant twice, and a CPU may lack two calls
	switch nr := uintptr(call.nr); {
	case nr == native.NoSyscall:
		return "" // the call was prevented
	case nr == native.SysClockGettime, nr == native.SysClockGettime32:
		return clockName(int32(call.args[0])) // clockid_t is an int
	case nr == native.SysTime:
		return "time"
	case nr == unix.SYS_GETTIMEOFDAY:
		if call.args[0] == 0 {
			return "" // asks for the time zone only
		}
		return "gettimeofday"
	default:
		return reads[call.nr]
	}
}

// clockName returns the name of an id of clock_gettime(2). A negative id has in its upper 29 bits the complement of a
// number, and in its lower 3 bits the kind of the number (include/linux/posix-timers_types.h).
func clockName(id int32) string {
	const (
		kindMask  = 7
		kindFile  = 3 // CLOCKFD: the number is a file descriptor
		perThread = 4 // CPUCLOCK_PERTHREAD_MASK: the CPU time of a thread, otherwise of a process
	)
	switch {
	case id >= 0:
		return cmp.Or(clock.NameOf(id), fmt.Sprintf("clock %d", id))
	case id&kindMask == kindFile:
		return "device clock"
	case id&perThread != 0:
		return "CLOCK_THREAD_CPUTIME_ID"
	default:
		return "CLOCK_PROCESS_CPUTIME_ID"
	}
}

// markIn returns the name of the mark in the arguments of a system call: the first argument, or the second after the
// descriptor of a folder.
func markIn(tid int, args []uint64) (name string, ok bool) {
	for _, address := range args[:2] {
		if name, ok = markAt(tid, address); ok {
			break
		}
	}
	return name, ok
}

// markAt returns the name of the mark that a path in the memory of a stopped thread is. It reads
// whole aligned words, and so never beyond the page where the path ends. A path that cannot be read
// is not a mark.
func markAt(tid int, address uint64) (string, bool) {
	prefix := make([]byte, len(MarkPrefix))
	if n, _ := unix.PtracePeekData(tid, uintptr(address), prefix); n < len(prefix) || string(prefix) != MarkPrefix {
		return "", false
	}
	var name []byte
	for at := address + uint64(len(prefix)); len(name) < maxMark; {
		word := make([]byte, wordSize-at%wordSize)
		if _, err := unix.PtracePeekData(tid, uintptr(at), word); err != nil {
			return "", false
		}
		if end := bytes.IndexByte(word, 0); end >= 0 {
			return string(append(name, word[:end]...)), true
		}
		name = append(name, word...)
		at += uint64(len(word))
	}
	return string(name[:maxMark]), true
}
