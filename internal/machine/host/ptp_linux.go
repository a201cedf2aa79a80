package host

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"golang.org/x/sys/unix"
)

// ptpReadings is how often a PTP clock is read, each time between two readings of the wall clock.
const ptpReadings = 5

// ptpOffset compares the wall clock with a PTP clock. Opening the device needs permission, which ordinary users rarely
// have.
func ptpOffset(of *result.WallOffset, device string) error {
	fd, err := unix.Open(device, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", device, err)
	}
	defer func() { _ = unix.Close(fd) }()
	if read, err := unix.IoctlPtpSysOffsetPrecise(fd); err == nil { // include/uapi/linux/ptp_clock.h
		of.By = "PTP_SYS_OFFSET_PRECISE" // at once, by the driver: the bound is unknown
		return tightest(of, [][3]unix.PtpClockTime{{read.Realtime, read.Device, read.Realtime}})
	}
	if read, err := unix.IoctlPtpSysOffsetExtended(fd, ptpReadings); err == nil {
		of.By = "PTP_SYS_OFFSET_EXTENDED"
		return tightest(of, read.Ts[:min(int(read.Samples), len(read.Ts))])
	}
	readings, err := gettimeOfPTP(fd) // a driver may lack both
	if err != nil {
		return fmt.Errorf("%s: clock_gettime: %w", device, err)
	}
	of.By = "clock_gettime"
	return tightest(of, readings)
}

// gettimeOfPTP reads an open PTP clock as a dynamic clock: clock_gettime(2).
func gettimeOfPTP(fd int) (all [][3]unix.PtpClockTime, err error) {
	for range ptpReadings {
		var reading [3]unix.PtpClockTime
		for i, id := range []int32{unix.CLOCK_REALTIME, unix.FdToClockID(fd), unix.CLOCK_REALTIME} {
			var t unix.Timespec
			err = cmp.Or(err, unix.ClockGettime(id, &t))
			reading[i] = unix.PtpClockTime{Sec: int64(t.Sec), Nsec: uint32(t.Nsec)} //nolint:gosec,unconvert // below 1e9; 32 bits elsewhere
		}
		all = append(all, reading)
	}
	return all, err
}

// tightest sets the offset by the reading with the smallest bound.
func tightest(of *result.WallOffset, readings [][3]unix.PtpClockTime) error {
	err := errors.New("no reading")
	for _, r := range readings {
		if far := checkSeconds(of.Against, r[1].Sec); far != nil {
			err = far
			continue
		}
		before, after := ptpNS(r[0]), ptpNS(r[2])
		if of.OffsetNS == nil || (after-before)/2 < of.BoundNS {
			wallOffset(of, ptpNS(r[1]), before, after, 0)
		}
	}
	if of.OffsetNS != nil {
		return nil
	}
	return err
}

func ptpNS(t unix.PtpClockTime) int64 { return t.Sec*int64(time.Second) + int64(t.Nsec) }
