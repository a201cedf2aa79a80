//go:build linux

// Hpet-ahead moves the main counter of the HPET 0.3 s ahead, as root of a machine whose kernel was
// booted with iomem=relaxed. The watchdog of a kernel that compares the time stamp counter with the HPET then
// finds them apart, and marks the time stamp counter as unstable. It skips intervals of more than a second
// (kernel/time/clocksource.c).
package main

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The registers of IA-PC HPET Specification 1.0a, 2.3.
const (
	base, size          = 0xfed00000, 1024
	period              = 0x004 // femtoseconds of a tick
	configuration       = 0x010
	enable              = 1
	counterLow, counter = 0x0f0, 0x0f4
	ahead               = 0.3e15 // femtoseconds
)

func main() {
	memory, err := os.OpenFile("/dev/mem", os.O_RDWR|os.O_SYNC, 0)
	if err == nil {
		err = move(memory)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hpet-ahead:", err)
		os.Exit(1)
	}
}

func move(memory *os.File) error {
	mapped, err := unix.Mmap(int(memory.Fd()), base, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	at := func(offset int) *uint32 { return (*uint32)(unsafe.Pointer(&mapped[offset])) }
	read := func(offset int) uint32 { return atomic.LoadUint32(at(offset)) }
	write := func(offset int, value uint32) { atomic.StoreUint32(at(offset), value) }
	// The counter can be written while it is stopped.
	write(configuration, read(configuration)&^enable)
	value := uint64(read(counter))<<32 | uint64(read(counterLow))
	value += uint64(ahead) / uint64(read(period))
	write(counterLow, uint32(value))
	write(counter, uint32(value>>32))
	write(configuration, read(configuration)|enable)
	return nil
}
