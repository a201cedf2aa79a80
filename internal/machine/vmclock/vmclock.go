// Package vmclock reads the page of VMClock, in which a hypervisor reports that the counter of the CPU was disrupted:
// the guest was restored from a snapshot, or moved to another host.
//
// The page is specified by include/uapi/linux/vmclock-abi.h, and by https://uapi-group.org/specifications/specs/vmclock.
// Linux has it as /dev/vmclock0 since 6.13. QEMU since 10.0, Firecracker and EC2 provide it.
package vmclock

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/timebench/timebench/internal/document/result"
)

const (
	magic   = 0x4b4c4356 // "VCLK"
	version = 1
	// The end of the flags, which every page has, and of the whole page. Fields between them may be missing.
	minSize, fullSize = 32, 112
)

// Flags of the page.
const (
	dueInADay      = 1 << 1
	dueInAnHour    = 1 << 2
	estimatedValid = 1 << 5
	maximumValid   = 1 << 6
	hasGeneration  = 1 << 8
)

// maxError is the largest error bound that is taken for one, in nanoseconds.
const maxError = 1e18

var errUpdating = errors.New("the hypervisor is updating the page")

var statuses = []string{"unknown", "initializing", "synchronized", "freerunning", result.UnreliableVMClock}

// The first disruption marker of a machine: QEMU counts the update that fills the page as a disruption
// (hw/acpi/vmclock.c), Firecracker does not (src/vmm/src/devices/acpi/vmclock.rs).
const (
	FirstOfQEMU        = 1
	FirstOfFirecracker = 0
)

// Parse returns the facts of a page, whose first disruption marker was first. By the specification the marker only
// changes. But where it equals the number of updates of the page, each update was a disruption and counted up, which
// proves their number. A page that is being updated is an error.
func Parse(page []byte, first uint64) (*result.VMClock, error) {
	at := func(offset int) uint64 { return binary.LittleEndian.Uint64(page[offset:]) }
	if len(page) < minSize {
		return nil, fmt.Errorf("a page of %d bytes; the shortest has %d", len(page), minSize)
	}
	if got := uint32(at(0)); got != magic {
		return nil, fmt.Errorf("the page begins with %#x instead of VCLK", got)
	}
	if got := binary.LittleEndian.Uint16(page[8:]); got != version {
		return nil, fmt.Errorf("the page has version %d; version %d is supported", got, version)
	}
	size := binary.LittleEndian.Uint32(page[4:])
	if size < minSize {
		return nil, fmt.Errorf("the page has a size of %d bytes; the shortest has %d", size, minSize)
	}
	sequence := binary.LittleEndian.Uint32(page[12:])
	if sequence%2 != 0 {
		return nil, errUpdating
	}
	has := func(end uint32) bool { return len(page) >= int(end) && size >= end }
	flags, marker := at(24), at(16)
	clock := &result.VMClock{DisruptionMarker: strconv.FormatUint(marker, 10)}
	switch {
	case flags&dueInAnHour != 0:
		clock.DisruptionDue = "an hour"
	case flags&dueInADay != 0:
		clock.DisruptionDue = "a day"
	}
	if has(35) {
		clock.Status = statusOf(page[34])
	}
	if has(96) && flags&estimatedValid != 0 {
		clock.EstimatedErrorNS = bound(at(88))
	}
	if has(104) && flags&maximumValid != 0 {
		clock.MaxErrorNS = bound(at(96))
	}
	if has(fullSize) && flags&hasGeneration != 0 {
		clock.Generation = strconv.FormatUint(at(104), 10)
	}
	if updates := uint64(sequence / 2); updates == marker && updates > first {
		clock.Disruptions = int64(updates - first)
	}
	return clock, nil
}

func statusOf(value byte) string {
	if int(value) < len(statuses) {
		return statuses[value]
	}
	return strconv.Itoa(int(value))
}

func bound(ns uint64) *int64 {
	if ns > maxError {
		return nil
	}
	of := int64(ns)
	return &of
}
