//go:build linux && (amd64 || arm64)

package clock

import (
	"runtime"
	"unsafe"

	"github.com/timebench/timebench/internal/machine/native"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// UserMode returns a stand-in for CLOCK_MONOTONIC@vdso: a function that reads the counter of the CPU and
// converts it as the vDSO of Linux 6.18 does, called by the same loop. Its cost is about what a read takes, or would take, in
// user mode (BenchmarkUserMode). It is not in the catalogue: its values are not those of a clock. It returns nothing
// where this build has no such function.
func UserMode() []Clock {
	return []Clock{{
		ID: UserModeID, Call: "clock_gettime(CLOCK_MONOTONIC)", Path: CPU, Kind: Monotonic, Hz: 1e9, ReportedNS: notReported,
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

// newFineData returns data at the start of a page of the heap, where the kernel has those of the vDSO.
func newFineData() *native.FineData {
	data := (*native.FineData)(unsafe.Pointer(&bufferAt(0, pageBytes/wordBytes)[0]))
	// The kernel writes its data every few milliseconds. The mask keeps the ticks in such a range without that.
	const ticks = 1<<22 - 1
	*data = native.FineData{Mask: ticks, Most: ticks, Mult: 5_000_000, Shift: 24}
	if native.HasRDTSCP() {
		data.Ordered = 1
	}
	return data
}
