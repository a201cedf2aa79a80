//go:build linux && (amd64 || arm64)

package clock

import (
	"runtime"
	"unsafe"

	"github.com/timebench/timebench/internal/machine/native"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// UserMode returns a stand-in for CLOCK_MONOTONIC@vdso: a function that reads the counter of the CPU and converts it as
// the vDSO of Linux 6.18 does, called by the same loop. Its cost is approximately the cost of a read in user mode
// (BenchmarkUserMode). It is not in the catalogue, because its values are not the time.
func UserMode() []Clock {
	return []Clock{{
		ID: UserModeID, Call: "clock_gettime(CLOCK_MONOTONIC)", Path: CPU, Kind: Monotonic, Hz: 1e9,
		ReportedNS: notReported,
		Open: func() (Reader, error) {
			if err := counterAllowed(); err != nil {
				debuglog.Printf("clock", "%s: %v", UserModeID, err)
				return nil, err
			}
			// The Reader keeps the data alive, so they are on the heap.
			data := newFineData()
			return opened(clockReader(timespec, func(buffer unsafe.Pointer, step uintptr, n int) int {
				result := native.CallIDBuffer(native.FineRead(), uintptr(unsafe.Pointer(data)), buffer, step, n)
				runtime.KeepAlive(data) // the loop has only its address
				return result
			}))
		},
	}}
}

// newFineData returns data at the start of a page of the heap, as the kernel's data for the vDSO are.
func newFineData() *native.FineData {
	data := (*native.FineData)(unsafe.Pointer(&bufferAt(0, pageBytes/wordBytes)[0]))
	// The kernel writes its data every few milliseconds. Here the mask keeps the ticks in the same range.
	const ticks = 1<<22 - 1
	*data = native.FineData{Mask: ticks, Most: ticks, Mult: 5_000_000, Shift: 24}
	if native.HasRDTSCP() {
		data.Ordered = 1
	}
	return data
}
