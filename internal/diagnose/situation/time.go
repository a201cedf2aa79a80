package situation

import (
	"math"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
)

// UsualTickNS is the time by which the kernel advances the wall clock in a tick of USER_HZ (100 per second for every
// program).
const UsualTickNS = 10_000_000

// ChangedTick reports whether a program has changed the tick, which changes the rate of the clocks.
func ChangedTick(sync result.TimeSync) bool { return sync.TickNS != 0 && sync.TickNS != UsualTickNS }

// MaxFrequencyPPM is the largest frequency correction that the kernel accepts: MAXFREQ in include/linux/timex.h.
const MaxFrequencyPPM = 500

// IsStepped reports whether the wall clock was stepped during the run.
func (s *Situation) IsStepped() bool { return s.Conditions != nil && s.Conditions.WallStepNS != 0 }

// IsSynchronised reports whether a time service synchronises the wall clock, as far as the kernel knows.
func (s *Situation) IsSynchronised() bool {
	return s.Host.TimeSync != nil && s.Host.TimeSync.Synchronised
}

// ServiceNames returns the names of the time services that run.
func (s *Situation) ServiceNames() []string {
	var names []string
	for _, service := range s.Host.TimeServices {
		names = append(names, service.Name)
	}
	return names
}

// SilentOffsetNS is the resolution of a real-time clock, in ns. A smaller offset may be due to the resolution.
const SilentOffsetNS = 1e9

// IsHostClock reports whether an offset is against the clock of the hypervisor's host.
func IsHostClock(w result.WallOffset) bool {
	return strings.HasPrefix(w.Against, "ptp") && host.IsHostClock(w.Name)
}

// IsRTC reports whether an offset is against a real-time clock.
func IsRTC(w result.WallOffset) bool { return strings.HasPrefix(w.Against, "rtc") }

// HostClock returns the offset of the wall clock against the clock of the hypervisor's host; nil without such a clock.
func (s *Situation) HostClock() *result.WallOffset { return First(s.Host.WallOffsets, IsHostClock) }

// RTCIsRight reports whether the real-time clock can be trusted: it exists, and no clock of the host contradicts it.
func (s *Situation) RTCIsRight() bool {
	known := func(w result.WallOffset) bool { return IsRTC(w) && w.OffsetNS != nil }
	rtc, ptp := First(s.Host.WallOffsets, known), s.HostClock()
	return rtc != nil && (ptp == nil || ptp.OffsetNS == nil ||
		math.Abs(float64(*ptp.OffsetNS-*rtc.OffsetNS)) <= 2*SilentOffsetNS+float64(rtc.BoundNS+ptp.BoundNS))
}
