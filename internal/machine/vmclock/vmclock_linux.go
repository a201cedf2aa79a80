// Package vmclock reads the page of VMClock, in which a hypervisor reports that the counter of the CPU was disrupted:
// the guest was restored from a snapshot, or moved to another host.
//
// The page is specified by include/uapi/linux/vmclock-abi.h, and by
// https://uapi-group.org/specifications/specs/vmclock. Linux has it as /dev/vmclock0 since 6.13. QEMU since 10.0,
// Firecracker and EC2 provide it.
package vmclock

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
	"golang.org/x/sys/unix"
)

const (
	device = "dev/vmclock0" // a machine has at most one VMClock
	magic  = "VCLK"
	// The end of the flags, which every page has, and of the whole page. Fields between them may be missing.
	minSize, fullSize = 32, 112
	// Flags of the page.
	maximumValid  = 1 << 6
	hasGeneration = 1 << 8
	// maxError is the largest error bound that is taken for one, in nanoseconds.
	maxError = 1e18
)

var statuses = map[byte]string{0: "unknown", 1: "initializing", 2: "synchronized", 3: "freerunning", 4: result.UnreliableVMClock}

// Read returns the facts of the page of a machine whose files are below root, or why it cannot be read; nil without a
// VMClock. The kernel returns no page in the midst of an update (drivers/ptp/ptp_vmclock.c). Read does not wait for a
// FIFO.
//
// QEMU counts the update that fills the page as a disruption (hw/acpi/vmclock.c), Firecracker does not
// (src/vmm/src/devices/acpi/vmclock.rs).
func Read(root string, firecracker bool) *result.VMClock {
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
	if err == nil && (n < minSize || string(page[:4]) != magic || page[8] != 1 || page[9] != 0) {
		err = errors.New("not a page of VMClock, version 1")
	}
	if err != nil {
		return &result.VMClock{Reason: fmt.Sprintf("%s: %v", path, err)}
	}
	return parse(page[:n], words.Either[uint64](firecracker, 0, 1))
}

// parse returns the facts of a page, whose first disruption marker was first. By the specification the marker only
// changes. But where it equals the number of updates of the page, each update was a disruption and counted up, which
// proves their number.
func parse(page []byte, first uint64) *result.VMClock {
	at := func(offset int) uint64 { return binary.LittleEndian.Uint64(page[offset:]) }
	size := min(len(page), int(binary.LittleEndian.Uint32(page[4:])))
	flags, marker, updates := at(24), at(16), uint64(binary.LittleEndian.Uint32(page[12:])/2)
	clock := &result.VMClock{DisruptionMarker: strconv.FormatUint(marker, 10)}
	if size >= 35 {
		clock.Status = cmp.Or(statuses[page[34]], strconv.Itoa(int(page[34])))
	}
	if size >= 104 && flags&maximumValid != 0 && at(96) <= maxError {
		ns := int64(at(96))
		clock.MaxErrorNS = &ns
	}
	if size >= fullSize && flags&hasGeneration != 0 {
		clock.Generation = strconv.FormatUint(at(104), 10)
	}
	if updates == marker && updates > first {
		clock.Disruptions = int64(updates - first)
	}
	return clock
}
