package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// spread moves labels along a line so that neighbours lie at least apart from
// each other, none beyond low and high, and each as near as can be to where it
// wants to be. wanted is in ascending order; so is what it returns. Labels that
// do not fit are spread evenly.
func spread(wanted []vg.Length, apart, low, high vg.Length) []vg.Length {
	n := len(wanted)
	if n == 0 {
		return nil
	}
	if needed := apart * vg.Length(n-1); needed > high-low {
		apart = (high - low) / vg.Length(n-1)
	}
	// With i·apart taken off, "apart from each other" is "in order". Neighbours out
	// of order are pooled at their mean: the nearest they can all be.
	type pool struct {
		sum   vg.Length
		count int
	}
	var pools []pool
	mean := func(p pool) vg.Length { return p.sum / vg.Length(p.count) }
	for i, want := range wanted {
		pools = append(pools, pool{want - vg.Length(i)*apart, 1})
		for last := len(pools) - 1; last > 0 && mean(pools[last-1]) > mean(pools[last]); last-- {
			pools[last-1].sum += pools[last].sum
			pools[last-1].count += pools[last].count
			pools = pools[:last]
		}
	}
	placed := make([]vg.Length, 0, n)
	ceiling := high - apart*vg.Length(n-1)
	for _, p := range pools {
		at := min(max(mean(p), low), ceiling)
		for range p.count {
			placed = append(placed, at+apart*vg.Length(len(placed)))
		}
	}
	return placed
}

// A box is the place that a label or a mark takes.
type box struct{ min, max vg.Point }

func boxAt(min vg.Point, width, height vg.Length) box {
	return box{min, vg.Point{X: min.X + width, Y: min.Y + height}}
}

func (b box) overlaps(other box) bool {
	return b.min.X < other.max.X && other.min.X < b.max.X && b.min.Y < other.max.Y && other.min.Y < b.max.Y
}

func (b box) within(area box) bool {
	return b.min.X >= area.min.X && b.max.X <= area.max.X && b.min.Y >= area.min.Y && b.max.Y <= area.max.Y
}

// place finds for a label of the given size the free place nearest to its point:
// within the area and on none of the taken boxes. It reports false when there is
// no free place at all.
func place(point vg.Point, width, height vg.Length, area box, taken []box) (box, bool) {
	free := func(b box) bool {
		if !b.within(area) {
			return false
		}
		for _, other := range taken {
			if b.overlaps(other) {
				return false
			}
		}
		return true
	}
	const gap = 9 * pixel
	longest := math.Hypot(float64(area.max.X-area.min.X), float64(area.max.Y-area.min.Y))
	for distance := gap; distance < vg.Length(longest); distance += height / 2 {
		for _, angle := range directions {
			center := vg.Point{
				X: point.X + vg.Length(math.Cos(angle))*(distance+width/2),
				Y: point.Y + vg.Length(math.Sin(angle))*(distance+height/2),
			}
			candidate := boxAt(vg.Point{X: center.X - width/2, Y: center.Y - height/2}, width, height)
			if free(candidate) {
				return candidate, true
			}
		}
	}
	return box{}, false
}

// directions are the angles in which a label looks for a place, the best first:
// to the right, to the left, then more and more aslant.
var directions = func() []float64 {
	angles := []float64{0, math.Pi}
	for step := 1; step <= 6; step++ {
		aslant := float64(step) * math.Pi / 12
		angles = append(angles, aslant, -aslant, math.Pi-aslant, math.Pi+aslant)
	}
	return angles
}()
