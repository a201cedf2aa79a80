package ptrace

import (
	"bytes"
	"cmp"

	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/process"
	"golang.org/x/sys/unix"
)

// markIn returns the name of the mark that is an argument of a system call: the first one, or the second one after the
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

// ids returns the id of the thread and of its process in the innermost PID namespace that they are
// in, which is how the program itself knows them; 0 if they are not known.
func (th *tracee) ids(tid int) (int32, int32) {
	if th.tid == 0 {
		thread, err := process.StatusOf(tid)
		first, firstErr := process.StatusOf(thread.PID)
		if err = cmp.Or(err, firstErr); err != nil {
			debuglog.Printf("ptrace", "the ids of thread %d are not known: %v", tid, err)
		}
		th.tid, th.pid = int32(thread.Inner), int32(first.Inner)
	}
	return th.tid, th.pid
}
