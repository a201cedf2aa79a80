//go:build linux && (386 || amd64)

package host

import (
	"math"
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

// capUserTime is the bit of cap_user_time: time_mult and time_shift are valid
// (perf_event_open(2)).
const capUserTime = 1 << 3

// perfTSCHz returns the TSC rate in Hz with which the kernel converts TSC values to
// nanoseconds, from the shared page of a perf event that counts nothing. It returns 0 if
// perf_event_open(2) is refused, or if sched_clock does not use the TSC, as with kvm-clock.
func perfTSCHz() float64 {
	event := &unix.PerfEventAttr{
		Type:   unix.PERF_TYPE_SOFTWARE,
		Config: unix.PERF_COUNT_SW_DUMMY,
		Size:   uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Bits:   unix.PerfBitDisabled | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}
	fd, err := unix.PerfEventOpen(event, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		debuglog.Printf("host", "perf_event_open(2): %v", err)
		return 0
	}
	defer func() { _ = unix.Close(fd) }()
	memory, err := unix.Mmap(fd, 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		debuglog.Printf("host", "mmap(2) of a perf event: %v", err)
		return 0
	}
	defer func() { _ = unix.Munmap(memory) }()
	page := (*unix.PerfEventMmapPage)(unsafe.Pointer(&memory[0]))
	// The lock of the page is odd while the kernel writes, which is short.
	for range 100 {
		lock := atomic.LoadUint32(&page.Lock)
		capabilities, mult, shift := page.Capabilities, page.Time_mult, page.Time_shift
		if lock&1 == 0 && atomic.LoadUint32(&page.Lock) == lock {
			return scaledHz(capabilities, mult, shift)
		}
	}
	return 0
}

// scaledHz returns the rate in Hz of a counter whose value times mult, shifted right by shift,
// is in nanoseconds.
func scaledHz(capabilities uint64, mult uint32, shift uint16) float64 {
	if capabilities&capUserTime == 0 || mult == 0 {
		return 0
	}
	hz := math.Ldexp(1e9, int(shift)) / float64(mult)
	if !plausibleHz(hz) {
		return 0
	}
	return math.Round(hz)
}
