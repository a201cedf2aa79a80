package perfevent

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unsafe"

	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

// traceFolders are where the kernel has its tracepoints: Documentation/trace/ftrace.rst. The second
// is that of kernels before 4.1.
var traceFolders = []string{"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}

// Tracepoint returns the number that the kernel has given to a tracepoint, such as
// syscalls/sys_enter_gettimeofday. The error is fs.ErrNotExist if there is none, or if tracefs is
// not mounted, and fs.ErrPermission if only root may know.
func Tracepoint(name string) (uint64, error) {
	var refused error
	for _, folder := range traceFolders {
		text, err := procfile.Read(folder + "/events/" + name + "/id")
		if err != nil {
			if refused == nil || !errors.Is(err, fs.ErrNotExist) {
				refused = err
			}
			continue
		}
		return strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	}
	return 0, refused
}

// A Counter counts how often threads pass tracepoints, and what they start while they are counted.
// It counts each time, and takes no samples.
type Counter struct{ fds []int }

// Open adds a thread and a tracepoint. It counts from Start on, or from the next execve(2) of the
// thread on if onExec. The errors are those of perf_event_open(2).
func (c *Counter) Open(tracepoint uint64, tid int, onExec bool) error {
	attributes := unix.PerfEventAttr{
		Type:   unix.PERF_TYPE_TRACEPOINT,
		Config: tracepoint,
		Size:   uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Bits:   unix.PerfBitDisabled | unix.PerfBitInherit,
	}
	if onExec {
		attributes.Bits |= unix.PerfBitEnableOnExec
	}
	const anyCPU, noGroup = -1, -1
	fd, err := unix.PerfEventOpen(&attributes, tid, anyCPU, noGroup, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("perf_event_open: %w", err)
	}
	c.fds = append(c.fds, fd)
	return nil
}

// Start begins to count.
func (c *Counter) Start() error { return c.all(unix.PERF_EVENT_IOC_ENABLE) }

// Stop ends the counting.
func (c *Counter) Stop() error { return c.all(unix.PERF_EVENT_IOC_DISABLE) }

func (c *Counter) all(request uint) error {
	var all error
	for _, fd := range c.fds {
		all = errors.Join(all, unix.IoctlSetInt(fd, request, 0))
	}
	return all
}

// Count returns how often the tracepoints were passed.
func (c *Counter) Count() (n uint64, err error) {
	var value [8]byte
	for _, fd := range c.fds {
		got, err := unix.Read(fd, value[:])
		if err != nil || got != len(value) {
			return 0, fmt.Errorf("counter of a tracepoint: %w", errors.Join(err, unix.EIO))
		}
		n += binary.NativeEndian.Uint64(value[:])
	}
	return n, nil
}

// Close closes the counters.
func (c *Counter) Close() error {
	var all error
	for _, fd := range c.fds {
		all = errors.Join(all, unix.Close(fd))
	}
	c.fds = nil
	return all
}
