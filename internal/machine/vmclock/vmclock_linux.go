package vmclock

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/timebench/timebench/internal/document/result"
	"golang.org/x/sys/unix"
)

// device is the only one: a machine has at most one VMClock.
const device = "dev/vmclock0"

// Read returns the facts of the page of a machine whose files are below root, or why it cannot be read; nil without a
// VMClock. first is as for [Parse]. A read from the kernel is never from the midst of an update
// (drivers/ptp/ptp_vmclock.c). Read does not wait for a FIFO.
func Read(root string, first uint64) *result.VMClock {
	path := filepath.Join(root, device)
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	page, n := make([]byte, fullSize), 0
	if err == nil {
		n, err = unix.Read(fd, page)
		_ = unix.Close(fd)
	}
	var clock *result.VMClock
	if err == nil {
		clock, err = Parse(page[:n], first)
	}
	if err != nil {
		return &result.VMClock{Reason: fmt.Sprintf("%s: %v", path, err)}
	}
	return clock
}
