package picture

import (
	"iter"
	"math"
	"math/rand/v2"

	"gonum.org/v1/plot/vg"
)

// A Box is the area that a label or a mark covers.
type Box struct{ Min, Max vg.Point }

func boxAt(min vg.Point, width, height vg.Length) Box {
	return Box{min, vg.Point{X: min.X + width, Y: min.Y + height}}
}

func (b Box) overlaps(other Box) bool {
	return b.Min.X < other.Max.X && other.Min.X < b.Max.X && b.Min.Y < other.Max.Y && other.Min.Y < b.Max.Y
}

func (b Box) within(area Box) bool {
	return b.Min.X >= area.Min.X && b.Max.X <= area.Max.X && b.Min.Y >= area.Min.Y && b.Max.Y <= area.Max.Y
}

// A Segment is the straight leader from a mark to its label.
type Segment struct{ From, To vg.Point }

// crosses reports whether any part of the Segment lies in the Box. It clips the Segment at
// the four sides of the Box (Liang and Barsky, 1984).
func (s Segment) crosses(b Box) bool {
	enter, leave := 0.0, 1.0
	cut := func(from, to, low, high vg.Length) bool {
		along := float64(to - from)
		if along == 0 {
			return from > low && from < high
		}
		first, second := float64(low-from)/along, float64(high-from)/along
		enter, leave = max(enter, min(first, second)), min(leave, max(first, second))
		return enter < leave
	}
	return cut(s.From.X, s.To.X, b.Min.X, b.Max.X) && cut(s.From.Y, s.To.Y, b.Min.Y, b.Max.Y)
}

// A Label is the size of a text and the point of the mark that it belongs to.
type Label struct {
	Point         vg.Point
	Width, Height vg.Length
}

// A Place is the position of a label, and its leader.
type Place struct {
	Box
	Leader Segment
	Found  bool
	// crossing is whether a leader crosses a label because of this place.
	crossing bool
}

// MostWork limits the work of Arrange: places tried, and comparisons of a place with occupied
// ones. It bounds the time for any document; all clocks of a machine need a fifth of it.
const MostWork = 100_000_000

// Arrange returns a place for each label: in the area, on no mark and no other label, and if
// possible with leaders that cross no label. A mark covers radius around its point. Found is
// false if a label has no place.
//
// Each label takes the nearest free place, so the order of the labels matters. Arrange tries
// many orders and keeps the one with the shortest leaders. The seed is fixed, so the same
// labels always get the same places. With more labels, it tries fewer orders and places.
func Arrange(labels []Label, radius vg.Length, area Box) []Place {
	places, _ := Arranged(labels, radius, area, MostWork)
	return places
}

// Arranged is Arrange with a given limit of the work. It also returns the work that it took.
func Arranged(labels []Label, radius vg.Length, area Box, most int) (best []Place, work int) {
	const orders = 60
	chance := rand.New(rand.NewPCG(1, 2))
	least := vg.Length(math.Inf(1))
	for range orders {
		p := page{area: area, patience: most / max(1, len(labels))}
		for _, l := range labels {
			p.marks = append(p.marks, boxAt(vg.Point{X: l.Point.X - radius, Y: l.Point.Y - radius}, 2*radius, 2*radius))
		}
		places := make([]Place, len(labels))
		length := vg.Length(0)
		for _, i := range chance.Perm(len(labels)) {
			places[i] = p.place(labels[i])
			length += places[i].Leader.length()
			switch {
			case !places[i].Found:
				length += 2 * Width
			case places[i].crossing:
				length += Width / 2
			}
		}
		if length < least {
			best, least = places, length
		}
		if work += p.work; work+p.work > most {
			break
		}
	}
	return best, work
}

// A page is an area and its occupied parts.
type page struct {
	area   Box
	marks  []Box
	placed []Place
	// patience limits the work for one label; work is the total so far.
	patience, work int
}

// place returns the nearest free place for a label. Leaders cross labels only if there is no
// other place.
func (p *page) place(l Label) Place {
	for _, crossing := range []bool{false, true} {
		end := p.work + p.patience/2
		for candidate := range places(l.Point, l.Width, l.Height, p.area) {
			at := Place{candidate, leaderTo(l.Point, candidate), true, crossing}
			if p.free(at) {
				p.placed = append(p.placed, at)
				return at
			}
			if p.work >= end {
				break
			}
		}
	}
	return Place{}
}

func (p *page) free(at Place) bool {
	p.work++
	if !at.within(p.area) {
		return false
	}
	for _, mark := range p.marks {
		if p.work++; at.overlaps(mark) {
			return false
		}
	}
	for _, other := range p.placed {
		if p.work++; at.overlaps(other.Box) || !at.crossing && (at.Leader.crosses(other.Box) || other.Leader.crosses(at.Box)) {
			return false
		}
	}
	return true
}

func (s Segment) length() vg.Length {
	return vg.Length(math.Hypot(float64(s.To.X-s.From.X), float64(s.To.Y-s.From.Y)))
}

// leaderTo returns the leader from a point to the nearest point of a label.
func leaderTo(point vg.Point, label Box) Segment {
	return Segment{point, vg.Point{X: min(max(point.X, label.Min.X), label.Max.X), Y: min(max(point.Y, label.Min.Y), label.Max.Y)}}
}

// places yields the possible places of a label around its point, the nearest first.
func places(point vg.Point, width, height vg.Length, area Box) iter.Seq[Box] {
	const gap = 9 * Pixel
	farthest := vg.Length(math.Hypot(float64(area.Max.X-area.Min.X), float64(area.Max.Y-area.Min.Y)))
	return func(yield func(Box) bool) {
		for distance := gap; distance < farthest; distance += height / 3 {
			for _, way := range directions {
				corner := vg.Point{
					X: point.X + way.X*(distance+width/2) - width/2,
					Y: point.Y + way.Y*(distance+height/2) - height/2,
				}
				if !yield(boxAt(corner, width, height)) {
					return
				}
			}
		}
	}
}

// directions are the directions in which a label searches for a place, the best first: right,
// left, then more and more diagonal.
var directions = func() []vg.Point {
	angles := []float64{0, math.Pi}
	for step := 1; step <= 6; step++ {
		aslant := float64(step) * math.Pi / 12
		angles = append(angles, aslant, -aslant, math.Pi-aslant, math.Pi+aslant)
	}
	ways := make([]vg.Point, len(angles))
	for i, angle := range angles {
		ways[i] = vg.Point{X: vg.Length(math.Cos(angle)), Y: vg.Length(math.Sin(angle))}
	}
	return ways
}()
