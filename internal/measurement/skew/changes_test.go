package skew

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/section"
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
		{"another pair, as far apart", []CPUPair{pair(1, 100, 10), pair(2, 0, 10)},
			[]CPUPair{pair(1, 0, 10), pair(2, -100, 10)}, false},
		{"a CPU that the old machine has not", []CPUPair{pair(1, 0, 60)}, []CPUPair{pair(1, 0, 60), pair(9, 1e6, 60)},
			true},
		{"a wide bound is no offset", []CPUPair{pair(1, 0, 60)}, []CPUPair{pair(1, 0, 60), pair(9, 150, 400)}, false},
	} {
		old := &Skew{Clocks: []SkewedClock{{ID: "c", Pairs: test.old}, {ID: "none"}}}
		new := &Skew{Clocks: []SkewedClock{{ID: "c", Pairs: test.new}, {ID: "none", Pairs: test.new}}}
		want := map[bool]string{false: section.Same, true: section.Changed}[test.want]
		d := changesOf(old, new).Value.(*section.Changes)
		require.Len(t, d.Changes, 1)
		require.Equal(t, want, d.Changes[0].Verdict, "%s: %+v", test.name, d.Changes[0])
		require.Equal(t, []string{"none"}, d.OnlyNew)
		require.Equal(t, want, changesOf(new, old).Value.(*section.Changes).Changes[0].Verdict,
			"%s, the other way round", test.name)
	}
}
