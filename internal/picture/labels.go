package picture

import (
	"iter"
	"math"
	"math/rand/v2"

	"gonum.org/v1/plot/vg"
)

// A Box is the place that a label or a mark takes.
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

// A Segment is the straight line that leads from a mark to its label.
type Segment struct{ From, To vg.Point }

// crosses reports whether any of the Segment lies in the Box: whether something
// is left of it when it is cut at the Box's four sides (Liang and Barsky, 1984).
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

// A Label is text of a size that belongs to the mark at a point.
type Label struct {
	Point         vg.Point
	Width, Height vg.Length
}

// A Place is where a label came to stand, and the line that leads to it.
type Place struct {
	Box
	Leader Segment
	Found  bool
	// crossing says that a leader crosses a label because of this place.
	crossing bool
}

// MostWork bounds the work of Arrange, in places tried and comparisons of a place with what
// is taken already, so that no document takes a picture long. All the clocks of a machine
// need a fifth of it.
const MostWork = 100_000_000

// Arrange finds a place for each label: within the area, on no mark and on no
// other label, and wherever that can be had with leaders that cross no label. A
// mark takes radius around its point. A label that finds no place is marked so.
//
// Each label takes the nearest place that the ones before it left. Which order
// is best nobody knows, so many are tried and the one with the shortest leaders
// is kept; chance is seeded, so the same labels always come to stand alike. The more
// labels there are, the fewer orders are tried, and the less far a label looks.
func Arrange(labels []Label, radius vg.Length, area Box) []Place {
	places, _ := Arranged(labels, radius, area, MostWork)
	return places
}

// Arranged is Arrange with that bound of the work, and the work that it took.
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

// A page knows what is taken of an area.
type page struct {
	area   Box
	marks  []Box
	placed []Place
	// patience is how much work a label is worth, and work what all took so far.
	patience, work int
}

// place takes the nearest free place for a label; where leaders would have to
// cross, they may.
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

// leaderTo is the leader from a point to the nearer end of a label.
func leaderTo(point vg.Point, label Box) Segment {
	return Segment{point, vg.Point{X: min(max(point.X, label.Min.X), label.Max.X), Y: min(max(point.Y, label.Min.Y), label.Max.Y)}}
}

// places are the places around a point where its label may stand, the nearest
// first.
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

// directions are those in which a label looks for a place, the best first: to the
// right, to the left, then more and more aslant.
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
