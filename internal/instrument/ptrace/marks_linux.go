//go:build amd64 || arm64

package ptrace

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

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
// in, which is how the program itself knows them; 0 if they are not known. proc_pid_status(5).
func (th *tracee) ids(tid int) (int32, int32) {
	if th.tid == 0 {
		status, err := procfile.Read(fmt.Sprintf("/proc/%d/status", tid))
		if err != nil {
			debuglog.Printf("ptrace", "the ids of thread %d are not known: %v", tid, err)
		}
		th.tid, th.pid = innermost(string(status), "NSpid:"), innermost(string(status), "NStgid:")
	}
	return th.tid, th.pid
}

// innermost returns the last number of a line of /proc/PID/status.
func innermost(status, key string) int32 {
	for line := range strings.Lines(status) {
		if numbers, ok := strings.CutPrefix(line, key); ok {
			if fields := strings.Fields(numbers); len(fields) > 0 {
				id, _ := strconv.ParseInt(fields[len(fields)-1], 10, 32)
				return int32(id)
			}
		}
	}
	return 0
}
