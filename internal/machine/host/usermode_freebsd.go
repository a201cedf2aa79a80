package host

import (
	"encoding/binary"
	"os"
	"runtime"
	"slices"
	"strconv"
	"unsafe"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

func addUserMode(of *result.ClockSource) {
	if strconv.IntSize != 64 {
		return // the page has another layout
	}
	auxiliary, err := unix.SysctlRaw("kern.proc.auxv", os.Getpid())
	if err != nil {
		debuglog.Printf("host", "kern.proc.auxv: %v", err)
		return
	}
	const timekeep = 22 // AT_TIMEKEEP in sys/elf_common.h
	address := auxiliaryValue(auxiliary, timekeep)
	if address == 0 {
		debuglog.Printf("host", "no AT_TIMEKEEP")
		return
	}
	addTimekeep(of, copied(address, timekeepBytes+timehands*timehandsBytes), runtime.GOARCH)
}

// copied returns a copy of the page of AT_TIMEKEEP, which the kernel maps for the life of the process.
//
// Inlined, the copy of constant length makes the compiler of Go 1.26 fail.
//
//go:noinline
func copied(address uintptr, bytes int) []byte {
	page := (*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address)))
	return slices.Clone(unsafe.Slice(page, bytes))
}

// auxiliaryValue returns the value of an entry of the auxiliary vector, which has pairs of 64 bits; or 0.
func auxiliaryValue(vector []byte, kind uint64) uintptr {
	for pair := range slices.Chunk(vector, 16) {
		if len(pair) == 16 && binary.LittleEndian.Uint64(pair) == kind {
			return uintptr(binary.LittleEndian.Uint64(pair[8:]))
		}
	}
	return 0
}
