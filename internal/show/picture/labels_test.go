package picture

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
)

func TestNoLabelLiesOnAnother(t *testing.T) {
	area := Box{vg.Point{}, vg.Point{X: 800 * Pixel, Y: 600 * Pixel}}
	for range 4 {
		labels := make([]Label, 30)
		for i := range labels {
			// Crowds: ten points share each of three neighbourhoods.
			labels[i] = Label{
				Point: vg.Point{X: vg.Length(100+200*(i%3))*Pixel + vg.Length(rand.Float64()*8), Y: vg.Length(300+50*(i%3))*Pixel + vg.Length(rand.Float64()*8)},
				Width: vg.Length(60+rand.IntN(120)) * Pixel, Height: 16 * Pixel,
			}
		}
		places := Arrange(labels, 5*Pixel, area)
		for i, at := range places {
			require.True(t, at.Found)
			require.True(t, at.within(area))
			for _, other := range places[i+1:] {
				require.False(t, at.overlaps(other.Box), "%v on %v", at.Box, other.Box)
			}
			for _, l := range labels {
				require.False(t, at.overlaps(boxAt(l.Point, Pixel, Pixel)), "label on a mark")
			}
		}
		require.Equal(t, places, Arrange(labels, 5*Pixel, area), "the same labels came to stand elsewhere")
	}
}

func TestLabelWithoutRoomIsLeftOut(t *testing.T) {
	area := Box{vg.Point{}, vg.Point{X: 50, Y: 50}}
	places := Arrange([]Label{{Point: vg.Point{X: 25, Y: 25}, Width: 100, Height: 10}}, 2, area)
	require.False(t, places[0].Found)
}

// crowd is labels that all belong to one point.
func crowd(labels int, width vg.Length) []Label {
	all := make([]Label, labels)
	for i := range all {
		all[i] = Label{Point: vg.Point{X: 400 * Pixel, Y: 900 * Pixel}, Width: width, Height: 17 * Pixel}
	}
	return all
}

// However many labels there are, and whether or not there is room: placing them is so much
// work and no more.
func TestWorkOfPlacingLabelsIsBounded(t *testing.T) {
	area := Box{vg.Point{}, vg.Point{X: 800 * Pixel, Y: 1800 * Pixel}}
	const most = 2_000_000
	for _, n := range []int{17, 100, 300} {
		for _, width := range []vg.Length{150 * Pixel, 1000 * Pixel} {
			places, work := Arranged(crowd(n, width), 5*Pixel, area, most)
			require.Len(t, places, n)
			// A label finishes the place that it is at: it is compared with all others.
			require.LessOrEqual(t, work, most+4*n*n, "%d labels of %v", n, width)
		}
	}
	places, work := Arranged(nil, 5*Pixel, area, most)
	require.Empty(t, places)
	require.Zero(t, work)
}

func TestSegmentCrossesABox(t *testing.T) {
	b := Box{vg.Point{X: 10, Y: 10}, vg.Point{X: 20, Y: 20}}
	at := func(x1, y1, x2, y2 vg.Length) Segment { return Segment{vg.Point{X: x1, Y: y1}, vg.Point{X: x2, Y: y2}} }
	for _, through := range []Segment{at(0, 15, 30, 15), at(15, 0, 15, 30), at(0, 0, 30, 30), at(15, 15, 40, 15), at(30, 12, 8, 18)} {
		require.True(t, through.crosses(b), through)
	}
	for _, beside := range []Segment{at(0, 5, 30, 5), at(5, 0, 5, 30), at(0, 15, 9, 15), at(0, 25, 25, 40), at(0, 12, 12, 0)} {
		require.False(t, beside.crosses(b), beside)
	}
}
