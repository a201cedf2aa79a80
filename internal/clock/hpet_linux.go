package clock

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

// Registers of the HPET; IA-PC HPET Specification 1.0a, section 2.3.
const (
	hpetDevice      = "/dev/hpet"
	hpetRegisters   = 1024 // bytes of the register block
	hpetPeriod      = 0x04 // femtoseconds per tick
	hpetMainCounter = 0xf0 // its lower 32 bits
	femtosPerSecond = 1e15
	hpetMaxPeriod   = 100_000_000 // femtoseconds, by the specification
)

// An hpet is the register block of the HPET, mapped for the life of the process.
type hpet struct {
	registers []byte
	hz        float64
	wraps     *wraps
}

// openHPET maps the registers, and closes the device, because each open descriptor holds one of
// the few timers. The mapping stays.
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
	if period == 0 || period > hpetMaxPeriod {
		return hpet{}, fmt.Errorf("%s: invalid period of %d fs; an HPET has 1 to 100000000 fs", hpetDevice, period)
	}
	hz := femtosPerSecond / float64(period)
	debuglog.Printf("clock", "%s mapped: %.0f Hz", hpetDevice, hz)
	return hpet{registers, hz, newWraps(hz)}, nil
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
			return device.open()
		},
	}
}

func (d hpet) open() (Reader, error) {
	second, err := openSecondClock()
	if err != nil {
		return nil, err
	}
	return &hpetReader{(*uint32)(unsafe.Pointer(&d.registers[hpetMainCounter])), d.wraps, second}, nil
}

// hpetReader reads the lower half of the main counter, as the kernel does, because not every
// bus transfers 64 bits at once. Each atomic load is one read of the device.
type hpetReader struct {
	counter *uint32
	wraps   *wraps
	second  func() int64
}

func (r *hpetReader) Spin(n int) {
	for range n {
		atomic.LoadUint32(r.counter)
	}
}

func (r *hpetReader) Read(ticks []int64) { r.wraps.read(ticks, r.load, r.second) }

func (r *hpetReader) load(ticks []int64) {
	for i := range ticks {
		ticks[i] = int64(atomic.LoadUint32(r.counter))
	}
}

// openSecondClock returns the clock that counts the wraps, for one thread. A read of the coarse
// clock costs a hundredth of a read of the device, under any clock source.
func openSecondClock() (func() int64, error) {
	coarse, err := open(VDSO, clockGettime(unix.CLOCK_MONOTONIC_COARSE))
	if err != nil { // no vDSO; the system call reads the same clock
		coarse, err = open(Syscall, clockGettime(unix.CLOCK_MONOTONIC_COARSE))
	}
	if err != nil {
		return nil, err
	}
	value := make([]int64, 1)
	return func() int64 {
		coarse.Read(value)
		return value[0]
	}, nil
}
