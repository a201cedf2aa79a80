package host

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

// ptpReadings is how often a PTP clock is read.
const ptpReadings = 5

// ptpWays are the ways to read a PTP clock, the most exact first: each reading is between two of the wall clock. A driver
// has the first two or not. include/uapi/linux/ptp_clock.h, clock_gettime(2).
var ptpWays = []struct {
	name string
	read func(fd int) ([][3]unix.PtpClockTime, error)
}{
	{"PTP_SYS_OFFSET_PRECISE", func(fd int) ([][3]unix.PtpClockTime, error) {
		read, err := unix.IoctlPtpSysOffsetPrecise(fd)
		if err != nil {
			return nil, err
		}
		return [][3]unix.PtpClockTime{{read.Realtime, read.Device, read.Realtime}}, nil
	}},
	{"PTP_SYS_OFFSET_EXTENDED", func(fd int) ([][3]unix.PtpClockTime, error) {
		read, err := unix.IoctlPtpSysOffsetExtended(fd, ptpReadings)
		if err != nil {
			return nil, err
		}
		return read.Ts[:min(int(read.Samples), len(read.Ts))], nil
	}},
	{"clock_gettime", func(fd int) (all [][3]unix.PtpClockTime, err error) {
		dynamic := ^int32(fd)<<3 | 3 //nolint:gosec // FD_TO_CLOCKID; a descriptor is small
		for range ptpReadings {
			var reading [3]unix.PtpClockTime
			for i, id := range []int32{unix.CLOCK_REALTIME, dynamic, unix.CLOCK_REALTIME} {
				var t unix.Timespec
				if err := unix.ClockGettime(id, &t); err != nil {
					return nil, err
				}
				sec, nsec := t.Unix()
				reading[i] = unix.PtpClockTime{Sec: sec, Nsec: uint32(nsec)} //nolint:gosec // below 1e9
			}
			all = append(all, reading)
		}
		return all, nil
	}},
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
		of.By = way.name
		readings, failed := way.read(fd)
		if err = cmp.Or(failed, tightest(of, readings)); err == nil {
			return nil
		}
		err = fmt.Errorf("%s: %s: %w", device, way.name, err)
		debuglog.Printf("host", "%v", err)
	}
	of.By = ""
	return err
}

// tightest sets the offset by the reading with the smallest bound. The bound of PTP_SYS_OFFSET_PRECISE is unknown: the
// driver reads both clocks at once, with an error of its own.
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
