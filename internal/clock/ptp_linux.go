package clock

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

// ptpClocks returns the PTP hardware clocks that have a device here, by number. Without devices it returns the first
// clock, whose Open returns the reason.
func ptpClocks() []Clock {
	numbers := []int{}
	devices, _ := filepath.Glob("/dev/ptp[0-9]*")
	for _, device := range devices {
		if number, err := strconv.Atoi(strings.TrimPrefix(device, "/dev/ptp")); err == nil {
			numbers = append(numbers, number)
		}
	}
	if len(numbers) == 0 {
		numbers = []int{0}
	}
	slices.Sort(numbers)
	var clocks []Clock
	for _, number := range numbers {
		clocks = append(clocks, ptpClock(number))
	}
	return clocks
}

func ptpClock(number int) Clock {
	device := fmt.Sprintf("/dev/ptp%d", number)
	// All Readers share one descriptor, which stays open: the clock id contains it.
	id := sync.OnceValues(func() (int32, error) {
		fd, err := unix.Open(device, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", device, err)
		}
		id := unix.FdToClockID(fd) // clock_gettime(2), "Dynamic clocks"
		debuglog.Printf("clock", "%s opened: clock id %d", device, id)
		return id, nil
	})
	return Clock{
		ID: fmt.Sprintf("ptp%d@syscall", number), Call: fmt.Sprintf("clock_gettime(%s)", device), Path: Syscall,
		Kind: Wall, Hz: 1e9,
		ReportedNS: func() float64 {
			id, err := id()
			if err != nil {
				return 0
			}
			return clockGetres(id)
		},
		Open: func() (Reader, error) {
			id, err := id()
			if err != nil {
				return nil, err
			}
			return open(Syscall, clockGettime(id))
		},
	}
}
