//go:build amd64 || arm64

package clock

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Registers of the HPET; IA-PC HPET Specification 1.0a, section 2.3.
const (
	hpetDevice        = "/dev/hpet"
	hpetRegisters     = 1024 // bytes of the register block
	hpetPeriod        = 0x04 // femtoseconds a tick
	hpetMainCounter   = 0xf0 // its lower 32 bits
	femtosPerSecond   = 1e15
	hpetLongestPeriod = 100_000_000 // femtoseconds; the specification allows no longer one
)

// An hpet is the register block of the HPET, mapped for the life of the process.
type hpet struct {
	registers []byte
	hz        float64
}

// openHPET maps the registers. It closes the device again at once, since each
// open descriptor holds one of the few timers; the mapping stays.
var openHPET = sync.OnceValues(func() (hpet, error) {
	fd, err := unix.Open(hpetDevice, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return hpet{}, fmt.Errorf("%s: %w", hpetDevice, err)
	}
	defer func() { _ = unix.Close(fd) }()
	size := max(unix.Getpagesize(), hpetRegisters)
	registers, err := unix.Mmap(fd, 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return hpet{}, fmt.Errorf("%s: map: %w", hpetDevice, err)
	}
	period := atomic.LoadUint32((*uint32)(unsafe.Pointer(&registers[hpetPeriod])))
	if period == 0 || period > hpetLongestPeriod {
		return hpet{}, fmt.Errorf("%s: states a period of %d fs, which no HPET has", hpetDevice, period)
	}
	return hpet{registers, femtosPerSecond / float64(period)}, nil
})

func hpetClock() Clock {
	return Clock{
		ID: "hpet@mmio", Call: "hpet main counter", Path: MMIO, Kind: Counter, ReportedNS: func() float64 {
			device, err := openHPET()
			if err != nil {
				return 0
			}
			return 1e9 / device.hz
		},
		Open: func() (Reader, error) {
			device, err := openHPET()
			if err != nil {
				return nil, err
			}
			return &hpetReader{counter: (*uint32)(unsafe.Pointer(&device.registers[hpetMainCounter]))}, nil
		},
	}
}

// hpetReader reads the lower half of the main counter, as the kernel does: not
// every bus carries 64 bits in one transfer. Each atomic load is one read of the
// device. It must read at least once in a turn of 32 bits (five minutes at
// 14.3 MHz) to count the turns.
type hpetReader struct {
	counter *uint32
	turns   turns
}

func (r *hpetReader) Spin(n int) {
	for range n {
		atomic.LoadUint32(r.counter)
	}
}

func (r *hpetReader) Read(ticks []int64) {
	for i := range ticks {
		ticks[i] = int64(atomic.LoadUint32(r.counter))
	}
	r.turns.unwrap(ticks)
}
