package drift

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Every hundredth reading of an hour is tighter than the others. A slot first has ten
// readings; when it is 256 times as wide, every slot has a tight one.
func TestASeriesKeepsTheTightest(t *testing.T) {
	var s series
	for i := range 3_600_000 {
		r := reading{atNS: 5e9 + float64(i)*1e6, widthNS: 90, ticks: int64(i)}
		if i%100 == 0 {
			r.widthNS = 30
		}
		s.add(r)
	}
	require.Equal(t, 256*narrowest, s.width)
	require.Len(t, s.kept, int(time.Hour/s.width)+1)
	require.Equal(t, mostReadings, cap(s.kept))
	for i, r := range s.kept {
		require.Equal(t, 30.0, r.widthNS)
		require.Equal(t, int64(i), r.ticks/2560)
	}
}

// A series never exceeds its bound, whenever the next reading comes.
func TestASeriesIsBounded(t *testing.T) {
	var s series
	at := 0.0
	for i := range 20 * mostReadings {
		at += float64(i%7) * 5e6
		s.add(reading{atNS: at})
		require.LessOrEqual(t, len(s.kept), mostReadings)
	}
	s.add(reading{atNS: at * 1e6}) // the reference was set
	require.Len(t, s.kept, 2)
}
