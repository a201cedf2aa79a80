package host

import (
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

// TimeSync returns the state of adjtimex(2), and changes nothing (modes is 0); nil if the call
// is refused.
func TimeSync() *result.TimeSync {
	var state unix.Timex
	verdict, err := unix.Adjtimex(&state)
	if err != nil {
		debuglog.Printf("host", "adjtimex(2): %v", err)
		return nil
	}
	return timeSyncOf(verdict, &state)
}

// timeSyncOf converts the result of adjtimex (kernel/time/ntp.c). A program can set a negative
// error, which is invalid and becomes 0.
func timeSyncOf(verdict int, state *unix.Timex) *result.TimeSync {
	unit := time.Microsecond
	if state.Status&unix.STA_NANO != 0 {
		unit = time.Nanosecond
	}
	const scaledPPM = 1 << 16
	return &result.TimeSync{
		Synchronised: verdict != unix.TIME_ERROR && state.Status&unix.STA_UNSYNC == 0,
		OffsetNS:     int64(offset(time.Duration(state.Offset), unit)),
		MaxErrorNS:   int64(max(0, time.Duration(state.Maxerror)*time.Microsecond)),
		FrequencyPPM: float64(state.Freq) / scaledPPM,
		// The kernel clamps freq to tolerance (MAXFREQ in include/linux/timex.h).
		FrequencyLimitPPM: max(0, float64(state.Tolerance)/scaledPPM),
		TickNS:            int64(max(0, time.Duration(state.Tick)*time.Microsecond)),
	}
}

// maxPhase is the largest offset that the kernel holds: MAXPHASE in include/linux/timex.h.
const maxPhase = 500 * time.Millisecond

// offset returns the remaining correction of the wall clock. It returns 0 for a value beyond
// maxPhase: for microseconds the kernel divides a small negative offset as an unsigned number,
// and reports 2^32 ns (__do_adjtimex).
func offset(units, unit time.Duration) time.Duration {
	if limit := maxPhase / unit; units < -limit || units > limit {
		return 0
	}
	return units * unit
}
