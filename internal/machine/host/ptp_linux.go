package host

import (
	"errors"
	"fmt"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

// ptpReadings is how often a PTP clock is read. The shortest reading counts.
const ptpReadings = 5

// ptpWays are the ways to compare the wall clock with a PTP clock, the most exact first. A driver has the first two or
// not. include/uapi/linux/ptp_clock.h, clock_gettime(2).
var ptpWays = []struct {
	name string
	read func(of *result.WallOffset, fd int) error
}{
	{"PTP_SYS_OFFSET_PRECISE", func(of *result.WallOffset, fd int) error {
		read, err := unix.IoctlPtpSysOffsetPrecise(fd)
		if err != nil {
			return err
		}
		return precise(of, read)
	}},
	{"PTP_SYS_OFFSET_EXTENDED", func(of *result.WallOffset, fd int) error {
		read, err := unix.IoctlPtpSysOffsetExtended(fd, ptpReadings)
		if err != nil {
			return err
		}
		return extended(of, read)
	}},
	{"clock_gettime", bracketed},
}

// ptpOffset compares the wall clock with a PTP clock. Opening the device needs permission, which ordinary users rarely
// have.
func ptpOffset(of *result.WallOffset, device string) error {
	fd, err := unix.Open(device, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", device, err)
	}
	defer func() { _ = unix.Close(fd) }()
	for _, way := range ptpWays {
		if err = way.read(of, fd); err == nil {
			of.By = way.name
			return nil
		}
		err = fmt.Errorf("%s: %s: %w", device, way.name, err)
		debuglog.Printf("host", "%v", err)
	}
	return err
}

// precise takes a pair of readings at the same instant, which is exact to their resolution.
func precise(of *result.WallOffset, read *unix.PtpSysOffsetPrecise) error {
	wall := ptpNS(read.Realtime)
	return ptpReading(of, read.Device, wall, wall, 1)
}

// extended takes the tightest of readings between two readings of the wall clock.
func extended(of *result.WallOffset, read *unix.PtpSysOffsetExtended) error {
	err := errors.New("no reading")
	for _, r := range read.Ts[:min(int(read.Samples), len(read.Ts))] {
		if failed := ptpReading(of, r[1], ptpNS(r[0]), ptpNS(r[2]), 0); failed != nil {
			err = failed
		}
	}
	if of.OffsetNS == nil {
		return err
	}
	return nil
}

// bracketed reads the clock by its dynamic clock id, between two readings of the wall clock.
func bracketed(of *result.WallOffset, fd int) error {
	const clockFD = 3
	id := ^int32(fd)<<3 | clockFD //nolint:gosec // a descriptor is small
	var failed error
	for range ptpReadings {
		var read unix.Timespec
		before := time.Now().UnixNano()
		err := unix.ClockGettime(id, &read)
		after := time.Now().UnixNano()
		if err == nil {
			sec, nsec := read.Unix()
			err = ptpReading(of, unix.PtpClockTime{Sec: sec, Nsec: uint32(nsec)}, before, after, 0) //nolint:gosec // below 1e9
		}
		if err != nil {
			failed = err
		}
	}
	if of.OffsetNS == nil {
		return failed
	}
	return nil
}

// ptpReading keeps a reading of a PTP clock if it is the tightest.
func ptpReading(of *result.WallOffset, read unix.PtpClockTime, before, after, uncertainNS int64) error {
	if err := checkSeconds(of.Against, read.Sec); err != nil {
		return err
	}
	if took := (after - before) / 2; of.OffsetNS == nil || took < of.BoundNS {
		wallOffset(of, ptpNS(read), before, after, uncertainNS)
	}
	return nil
}

func ptpNS(t unix.PtpClockTime) int64 { return t.Sec*int64(time.Second) + int64(t.Nsec) }
