package host

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/procfile"
)

// maxOffset is the largest offset in a document, in nanoseconds.
const maxOffset = int64(1e18)

func wallOffsets(root string) []result.WallOffset {
	var all []result.WallOffset
	if rtc := rtcOffset(root); rtc != nil {
		all = append(all, *rtc)
	}
	clocks, _ := filepath.Glob(filepath.Join(root, "sys/class/ptp/ptp*"))
	for _, clock := range clocks {
		of := result.WallOffset{Against: filepath.Base(clock), Name: readName(clock, "clock_name")}
		if err := ptpOffset(&of, filepath.Join(root, "dev", of.Against)); err != nil {
			if !IsHostClock(of.Name) { // a machine can have many network cards, and their clocks say nothing of the wall clock
				debuglog.Printf("host", "%v", err)
				continue
			}
			of.Reason = err.Error()
		}
		all = append(all, of)
	}
	return all
}

// kernelRTC returns the folder of the real-time clock from which the kernel sets the wall clock (hctosys), or else of
// the first; "" without one. Any user may read it (Documentation/ABI/testing/sysfs-class-rtc).
func kernelRTC(root string) string {
	clocks, _ := filepath.Glob(filepath.Join(root, "sys/class/rtc/rtc*"))
	if len(clocks) == 0 {
		return ""
	}
	return clocks[max(0, slices.IndexFunc(clocks, func(clock string) bool { return readFile(clock, "hctosys") == "1" }))]
}

// rtcOffset compares the wall clock with the real-time clock; nil without one.
func rtcOffset(root string) *result.WallOffset {
	clock := kernelRTC(root)
	if clock == "" {
		return nil
	}
	of := result.WallOffset{Against: filepath.Base(clock), Name: readName(clock, "name")}
	before := time.Now().UnixNano()
	seconds, err := rtcSeconds(clock)
	after := time.Now().UnixNano()
	if err == nil {
		err = checkSeconds(of.Against, seconds)
	}
	if err != nil {
		of.Reason = err.Error()
		return &of
	}
	const second = int64(time.Second)
	wallOffset(&of, seconds*second+second/2, before, after, second/2)
	adjtime := strings.Fields(readFile(root, "etc/adjtime")) // adjtime_config(5): its third line
	heedZone(&of, len(adjtime) > 0 && adjtime[len(adjtime)-1] == "LOCAL")
	return &of
}

// rtcSeconds returns the time of a real-time clock in seconds since 1970. It may be local time.
func rtcSeconds(clock string) (int64, error) {
	text, err := procfile.Read(filepath.Join(clock, "since_epoch"))
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
}

// RTCSeconds returns the time of the real-time clock in seconds since 1970. ok is whether it could be read. It may be
// local time.
func RTCSeconds() (seconds int64, ok bool) { return rtcSecondsIn(live) }

func rtcSecondsIn(root string) (seconds int64, ok bool) {
	clock := kernelRTC(root)
	if clock == "" {
		return 0, false
	}
	seconds, err := rtcSeconds(clock)
	return seconds, err == nil
}

// checkSeconds returns an error for an impossible time of a clock: its difference from another, in nanoseconds, may not
// fit into 64 bits.
func checkSeconds(clock string, seconds int64) error {
	const most = 7e9 // the year 2191
	if seconds < -most || seconds > most {
		return fmt.Errorf("%s: its time is %d s after 1970", clock, seconds)
	}
	return nil
}

const (
	// zoneStep divides the offsets of all time zones, and maxZone is the largest offset: UTC+14.
	zoneStep = 15 * time.Minute
	maxZone  = 14 * time.Hour
	// zoneSlack is how far a real-time clock in local time may drift from it: a cheap one drifts a second a day.
	zoneSlack = 10 * time.Second
)

// heedZone removes the time zone from the offset of a real-time clock in local time. local is whether the system keeps
// it in local time. Otherwise an offset of whole quarters of an hour shows it: another system of the machine, such as
// Windows, keeps it so.
func heedZone(of *result.WallOffset, local bool) {
	if of.OffsetNS == nil {
		return
	}
	offset := time.Duration(*of.OffsetNS)
	zone := min(max(offset.Round(zoneStep), -maxZone), maxZone)
	if rest := (offset - zone).Abs(); zone == 0 || !local && rest > zoneSlack+time.Duration(of.BoundNS) {
		return
	}
	of.ZoneNS = int64(zone)
	*of.OffsetNS -= of.ZoneNS
}

// wallOffset sets the offset of a clock that was read while the wall clock went from beforeNS to afterNS. The reading
// is at most uncertainNS from the truth.
func wallOffset(of *result.WallOffset, readNS, beforeNS, afterNS, uncertainNS int64) {
	half := max(0, afterNS-beforeNS) / 2
	offset := min(max(readNS-(beforeNS+half), -maxOffset), maxOffset)
	of.OffsetNS, of.BoundNS = &offset, uncertainNS+half
}
