package skew

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWorstOffsetChangedBeyondBothBounds(t *testing.T) {
	pair := func(cpu int, offset, bound float64) CPUPair {
		return CPUPair{OtherCPU: cpu, OffsetNS: offset, BoundNS: bound}
	}
	for _, test := range []struct {
		name     string
		old, new []CPUPair
		want     bool
	}{
		{"the same", []CPUPair{pair(1, 5, 60)}, []CPUPair{pair(1, 5, 60)}, false},
		{"within the bounds", []CPUPair{pair(1, 0, 60)}, []CPUPair{pair(1, 119, 60)}, false},
		{"beyond them", []CPUPair{pair(1, 0, 60)}, []CPUPair{pair(1, -121, 60)}, true},
		{"mended", []CPUPair{pair(1, 500, 60)}, []CPUPair{pair(1, 5, 60)}, true},
		{"of another sign", []CPUPair{pair(1, 100, 60)}, []CPUPair{pair(1, -100, 60)}, true},
		{"another pair, as far apart", []CPUPair{pair(1, 100, 10), pair(2, 0, 10)}, []CPUPair{pair(1, 0, 10), pair(2, -100, 10)}, false},
		{"a CPU that the old machine has not", []CPUPair{pair(1, 0, 60)}, []CPUPair{pair(1, 0, 60), pair(9, 1e6, 60)}, true},
		{"a wide bound is no offset", []CPUPair{pair(1, 0, 60)}, []CPUPair{pair(1, 0, 60), pair(9, 150, 400)}, false},
	} {
		old := &Skew{Clocks: []SkewedClock{{ID: "c", Pairs: test.old}, {ID: "none"}}}
		new := &Skew{Clocks: []SkewedClock{{ID: "c", Pairs: test.new}, {ID: "none", Pairs: test.new}}}
		d := changed(old, new)
		require.Len(t, d.Offsets, 1)
		require.Equal(t, test.want, d.Offsets[0].Changed, "%s: %+v", test.name, d.Offsets[0])
		require.Equal(t, []string{"none"}, d.OnlyNew)
		require.Equal(t, test.want, changed(new, old).Offsets[0].Changed, "%s, the other way round", test.name)
	}
}
