package host

import (
	"testing"

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
		"no offset": {unix.TIME_OK, unix.Timex{Offset: -500_001}, result.TimeSync{Synchronised: true}},
		"the largest offset": {unix.TIME_OK, unix.Timex{Status: unix.STA_PLL, Offset: -500_000, Tick: 10000},
			result.TimeSync{Synchronised: true, OffsetNS: -500_000_000, TickNS: 10_000_000}},
		"errors below nil": {unix.TIME_OK, unix.Timex{Maxerror: -5, Esterror: -1, Tick: -3}, result.TimeSync{Synchronised: true}},
	} {
		require.Equal(t, &c.want, timeSyncOf(c.verdict, &c.state), name)
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
