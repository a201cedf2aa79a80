//go:build linux && (amd64 || arm64)

package native

// A FineData is what FineRead reads: the data that the kernel writes for the vDSO, as far as a fine
// clock needs them (include/vdso/datapage.h). The kernel begins them at the start of a page.
type FineData struct {
	Sequence uint32 // odd while the kernel writes
	Ordered  uint32 // 1: RDTSCP, which Linux uses where the CPU has it, instead of LFENCE and RDTSC; amd64 only
	Last     uint64 // the counter at the last update, in ticks
	Mask     uint64 // of the ticks since then; the vDSO has none on amd64
	Most     uint64 // ticks since then that the multiplication has room for
	Mult     uint32 // nanoseconds in a tick, shifted left by Shift
	Shift    uint32
	NS       uint64 // at the last update, shifted left by Shift
	Seconds  uint64 // at the last update
}

// FineRead returns the address of a C function that reads CLOCK_MONOTONIC as the vDSO of Linux 6.18 does where it reads
// the counter of the CPU in user mode (lib/vdso/gettimeofday.c, do_hres): fn(data, buffer), for CallIDBuffer,
// with the address of a FineData, and of a timespec that it writes. It returns 0, or -1 for more ticks than the
// multiplication has room for: the vDSO then multiplies in 128 bits, which this function leaves out. On arm64 it reads
// CNTVCT_EL0 after an ISB, also where the vDSO would read CNTVCTSS_EL0.
//
// The function uses less than 100 bytes of the stack, and calls nothing.
func FineRead() uintptr
