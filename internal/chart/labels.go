package chart

import (
	"iter"
	"math"
	"math/rand/v2"

	"github.com/timebench/timebench/internal/picture"
	"gonum.org/v1/plot/vg"
)

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

// A segment is the straight line that leads from a mark to its label.
type segment struct{ from, to vg.Point }

// crosses reports whether any of the segment lies in the box: whether something
// is left of it when it is cut at the box's four sides (Liang and Barsky, 1984).
func (s segment) crosses(b box) bool {
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
	return cut(s.from.X, s.to.X, b.min.X, b.max.X) && cut(s.from.Y, s.to.Y, b.min.Y, b.max.Y)
}

// A label is text of a size that belongs to the mark at a point.
type label struct {
	point         vg.Point
	width, height vg.Length
}

// A place is where a label came to stand, and the line that leads to it.
type place struct {
	box
	leader segment
	found  bool
	// crossing says that a leader crosses a label because of this place.
	crossing bool
}

// mostWork bounds the work of arrange, in places tried and comparisons of a place with what
// is taken already, so that no document takes a picture long. All the clocks of a machine
// need a fifth of it.
const mostWork = 100_000_000

// arrange finds a place for each label: within the area, on no mark and on no
// other label, and wherever that can be had with leaders that cross no label. A
// mark takes radius around its point. A label that finds no place is marked so.
//
// Each label takes the nearest place that the ones before it left. Which order
// is best nobody knows, so many are tried and the one with the shortest leaders
// is kept; chance is seeded, so the same labels always come to stand alike. The more
// labels there are, the fewer orders are tried, and the less far a label looks.
func arrange(labels []label, radius vg.Length, area box) []place {
	places, _ := arranged(labels, radius, area, mostWork)
	return places
}

// arranged is arrange with that bound of the work, and the work that it took.
func arranged(labels []label, radius vg.Length, area box, most int) (best []place, work int) {
	const orders = 60
	chance := rand.New(rand.NewPCG(1, 2))
	least := vg.Length(math.Inf(1))
	for range orders {
		p := page{area: area, patience: most / max(1, len(labels))}
		for _, l := range labels {
			p.marks = append(p.marks, boxAt(vg.Point{X: l.point.X - radius, Y: l.point.Y - radius}, 2*radius, 2*radius))
		}
		places := make([]place, len(labels))
		length := vg.Length(0)
		for _, i := range chance.Perm(len(labels)) {
			places[i] = p.place(labels[i])
			length += places[i].leader.length()
			switch {
			case !places[i].found:
				length += 2 * picture.Width
			case places[i].crossing:
				length += picture.Width / 2
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
	area   box
	marks  []box
	placed []place
	// patience is how much work a label is worth, and work what all took so far.
	patience, work int
}

// place takes the nearest free place for a label; where leaders would have to
// cross, they may.
func (p *page) place(l label) place {
	for _, crossing := range []bool{false, true} {
		end := p.work + p.patience/2
		for candidate := range places(l.point, l.width, l.height, p.area) {
			at := place{candidate, leaderTo(l.point, candidate), true, crossing}
			if p.free(at) {
				p.placed = append(p.placed, at)
				return at
			}
			if p.work >= end {
				break
			}
		}
	}
	return place{}
}

func (p *page) free(at place) bool {
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
		if p.work++; at.overlaps(other.box) || !at.crossing && (at.leader.crosses(other.box) || other.leader.crosses(at.box)) {
			return false
		}
	}
	return true
}

func (s segment) length() vg.Length {
	return vg.Length(math.Hypot(float64(s.to.X-s.from.X), float64(s.to.Y-s.from.Y)))
}

// leaderTo is the leader from a point to the nearer end of a label.
func leaderTo(point vg.Point, label box) segment {
	return segment{point, vg.Point{X: min(max(point.X, label.min.X), label.max.X), Y: min(max(point.Y, label.min.Y), label.max.Y)}}
}

// places are the places around a point where its label may stand, the nearest
// first.
func places(point vg.Point, width, height vg.Length, area box) iter.Seq[box] {
	const gap = 9 * picture.Pixel
	farthest := vg.Length(math.Hypot(float64(area.max.X-area.min.X), float64(area.max.Y-area.min.Y)))
	return func(yield func(box) bool) {
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
