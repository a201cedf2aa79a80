package host

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

func TestWallOffset(t *testing.T) {
	for name, c := range map[string]struct {
		read, before, after, uncertain int64
		offset, bound                  int64
	}{
		"equal":                {read: 100, before: 100, after: 100},
		"behind by 75 h":       {read: 270_000e9, before: 10, after: 30, offset: 270_000e9 - 20, bound: 10},
		"ahead":                {read: 5, before: 1000, after: 1000, offset: -995},
		"bound of a second":    {read: 1_500e6, before: 1_400e6, after: 1_402e6, uncertain: 5e8, offset: 99e6, bound: 501e6},
		"the wall was stepped": {read: 100, before: 1000, after: 50, offset: -900},
		"beyond the limit":     {read: 0, before: 1_800e15, after: 1_800e15, offset: -1e18},
	} {
		var of result.WallOffset
		wallOffset(&of, c.read, c.before, c.after, c.uncertain)
		require.Equal(t, c.offset, *of.OffsetNS, name)
		require.Equal(t, c.bound, of.BoundNS, name)
	}
}

func TestHeedZone(t *testing.T) {
	const second = time.Second
	for name, c := range map[string]struct {
		offset     time.Duration
		local      bool
		zone, rest time.Duration
	}{
		"UTC":                             {offset: 300 * time.Millisecond, rest: 300 * time.Millisecond},
		"UTC, drifted by a minute":        {offset: -time.Minute, rest: -time.Minute},
		"Berlin, as Windows keeps it":     {offset: 2*time.Hour + 300*time.Millisecond, zone: 2 * time.Hour, rest: 300 * time.Millisecond},
		"Nepal":                           {offset: 5*time.Hour + 45*time.Minute - 3*second, zone: 5*time.Hour + 45*time.Minute, rest: -3 * second},
		"Los Angeles":                     {offset: -8*time.Hour + second, zone: -8 * time.Hour, rest: second},
		"Kiritimati":                      {offset: 14 * time.Hour, zone: 14 * time.Hour},
		"two hours and a minute behind":   {offset: 2*time.Hour + time.Minute, rest: 2*time.Hour + time.Minute},
		"LOCAL, drifted by a minute":      {offset: 2*time.Hour + time.Minute, local: true, zone: 2 * time.Hour, rest: time.Minute},
		"75 h behind":                     {offset: 75 * time.Hour, rest: 75 * time.Hour},
		"75 h behind, LOCAL: not as zone": {offset: 75 * time.Hour, local: true, zone: 14 * time.Hour, rest: 61 * time.Hour},
	} {
		offset := int64(c.offset)
		of := result.WallOffset{OffsetNS: &offset, BoundNS: int64(second / 2)}
		heedZone(&of, c.local)
		require.Equal(t, int64(c.zone), of.ZoneNS, name)
		require.Equal(t, int64(c.rest), *of.OffsetNS, name)
	}
	var unread result.WallOffset
	heedZone(&unread, true)
	require.Equal(t, result.WallOffset{}, unread)
}
