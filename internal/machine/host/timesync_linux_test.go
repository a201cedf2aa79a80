package host

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"golang.org/x/sys/unix"
)

func TestTimeSyncOf(t *testing.T) {
	for name, c := range map[string]struct {
		verdict int
		state   unix.Timex
		want    result.TimeSync
	}{
		"chrony keeps it right": {unix.TIME_OK, unix.Timex{Status: unix.STA_PLL | unix.STA_NANO, Offset: -1234, Freq: -786432, Maxerror: 3500, Esterror: 42, Tick: 10000},
			result.TimeSync{Synchronised: true, OffsetNS: -1234, FrequencyPPM: -12, MaxErrorNS: 3_500_000, TickNS: 10_000_000}},
		"an offset in microseconds": {unix.TIME_OK, unix.Timex{Status: unix.STA_PLL, Offset: 17, Freq: 32768, Tick: 10001},
			result.TimeSync{Synchronised: true, OffsetNS: 17_000, FrequencyPPM: 0.5, TickNS: 10_001_000}},
		"the rate at its limit": {unix.TIME_OK, unix.Timex{Freq: -500 << 16, Tolerance: 500 << 16, Tick: 10000},
			result.TimeSync{Synchronised: true, FrequencyPPM: -500, FrequencyLimitPPM: 500, TickNS: 10_000_000}},
		"a leap second is near": {unix.TIME_INS, unix.Timex{Status: unix.STA_INS, Tick: 10000}, result.TimeSync{Synchronised: true, TickNS: 10_000_000}},
		"never set": {unix.TIME_ERROR, unix.Timex{Status: unix.STA_UNSYNC, Maxerror: 16_000_000, Esterror: 16_000_000, Tick: 10000},
			result.TimeSync{MaxErrorNS: 16_000_000_000, TickNS: 10_000_000}},
		"the clock fails": {unix.TIME_ERROR, unix.Timex{Status: unix.STA_CLOCKERR}, result.TimeSync{}},
		"unsynchronised":  {unix.TIME_OK, unix.Timex{Status: unix.STA_UNSYNC}, result.TimeSync{}},
		"a negative offset divided as an unsigned one": {unix.TIME_OK, unix.Timex{Status: unix.STA_PLL, Offset: 4_294_966, Tick: 10000},
			result.TimeSync{Synchronised: true, TickNS: 10_000_000}},
		"the largest offset": {unix.TIME_OK, unix.Timex{Status: unix.STA_PLL, Offset: -500_000, Tick: 10000},
			result.TimeSync{Synchronised: true, OffsetNS: -500_000_000, TickNS: 10_000_000}},
		"errors below nil": {unix.TIME_OK, unix.Timex{Maxerror: -5, Esterror: -1, Tick: -3}, result.TimeSync{Synchronised: true}},
	} {
		require.Equal(t, &c.want, timeSyncOf(c.verdict, &c.state), name)
	}
}

// The fields of a Timex have the word size of the machine. Values that need 64 bits are tested on
// every machine.
func TestOffsetThatTheKernelCannotHold(t *testing.T) {
	for _, c := range []struct {
		units time.Duration
		unit  time.Duration
		want  time.Duration
	}{
		{-1234, time.Nanosecond, -1234},
		{-500_000_000, time.Nanosecond, -500 * time.Millisecond},
		{500_000_001, time.Nanosecond, 0},
		{500_000, time.Microsecond, 500 * time.Millisecond},
		{-500_001, time.Microsecond, 0},
		{4_294_967, time.Microsecond, 0}, // 2^32 ns
		{1<<32 - 1234, time.Nanosecond, 0},
		{math.MinInt64, time.Microsecond, 0},
		{math.MaxInt64/1000 + 1, time.Microsecond, 0}, // as nanoseconds it would be negative
	} {
		require.Equal(t, c.want, offset(c.units, c.unit), "%d units of %v", c.units, c.unit)
	}
}

func TestTimeSyncOfThisMachine(t *testing.T) {
	var state unix.Timex
	_, err := unix.Adjtimex(&state)
	sync := TimeSync()
	require.Equal(t, err == nil, sync != nil)
	if sync != nil {
		require.Positive(t, sync.TickNS)
		require.InDelta(t, 0, sync.FrequencyPPM, 500, "MAXFREQ of the kernel's include/linux/timex.h")
	}
}
