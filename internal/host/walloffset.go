package host

import (
	"fmt"
	"time"

	"github.com/timebench/timebench/internal/result"
)

const (
	// zoneStep is what the offsets of time zones are multiples of, and maxZone the largest: UTC+14.
	zoneStep = 15 * time.Minute
	maxZone  = 14 * time.Hour
	// zoneSlack is how far a real-time clock in local time may drift from it: a cheap one drifts a second a day.
	zoneSlack = 10 * time.Second
	// maxOffset is the largest offset in a document, in nanoseconds.
	maxOffset = int64(1e18)
)

// checkSeconds returns an error if a clock has a time that no clock has: its difference from another one, in
// nanoseconds, may not fit into 64 bits.
func checkSeconds(clock string, seconds int64) error {
	const most = 7e9 // the year 2191
	if seconds < -most || seconds > most {
		return fmt.Errorf("%s: its time is %d s after 1970", clock, seconds)
	}
	return nil
}

// wallOffset sets the offset of a clock that was read while the wall clock went from beforeNS to afterNS. The reading
// is at most uncertainNS from the truth.
func wallOffset(of *result.WallOffset, readNS, beforeNS, afterNS, uncertainNS int64) {
	half := max(0, afterNS-beforeNS) / 2
	offset := min(max(readNS-(beforeNS+half), -maxOffset), maxOffset)
	of.OffsetNS, of.BoundNS = &offset, uncertainNS+half
}

// heedZone takes the zone of a real-time clock in local time out of its offset. local is whether the system keeps it
// so. Otherwise it is recognised by an offset of a whole number of quarters of an hour: another system of the machine,
// such as Windows, keeps it so.
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
