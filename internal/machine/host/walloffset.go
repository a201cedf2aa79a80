package host

import (
	"slices"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/document/result"
)

const (
	// zoneStep divides the offsets of all time zones, and maxZone is the largest offset: UTC+14.
	zoneStep = 15 * time.Minute
	maxZone  = 14 * time.Hour
	// zoneSlack is how far a real-time clock in local time may drift from it: a cheap one drifts a second a day.
	zoneSlack = 10 * time.Second
	// maxOffset is the largest offset in a document, in nanoseconds.
	maxOffset = int64(1e18)
)

// hostClocks begin the names of the PTP clocks that have the time of a hypervisor's host, in UTC (clock_name in
// /sys/class/ptp): ptp_kvm_common.c, ptp_vmw.c and ptp_vmclock.c in drivers/ptp, drivers/hv/hv_util.c, and Amazon's
// driver ena. Any other PTP clock belongs to a network card, and may be in TAI, or count from its start.
var hostClocks = []string{"KVM virtual PTP", "hyperv", "ptp_vmw", "vmclock", "ena-ptp-"}

// IsHostClock reports whether a PTP clock with this name has the time of the hypervisor's host.
func IsHostClock(name string) bool {
	return slices.ContainsFunc(hostClocks, func(begin string) bool { return strings.HasPrefix(name, begin) })
}

// wallOffset sets the offset of a clock that was read while the wall clock went from beforeNS to afterNS. The reading
// is at most uncertainNS from the truth.
func wallOffset(of *result.WallOffset, readNS, beforeNS, afterNS, uncertainNS int64) {
	half := max(0, afterNS-beforeNS) / 2
	offset := min(max(readNS-(beforeNS+half), -maxOffset), maxOffset)
	of.OffsetNS, of.BoundNS = &offset, uncertainNS+half
}

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
