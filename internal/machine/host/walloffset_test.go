package host

import (
	"testing"

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
