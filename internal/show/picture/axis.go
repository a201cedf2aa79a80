package picture

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// LogTicks labels the decades of a logarithmic axis; if there are few, also their 2 and 5.
type LogTicks struct{ Word func(float64) string }

// Ticks implements [Ticker].
func (t LogTicks) Ticks(low, high float64) []Tick {
	var ticks []Tick
	few := math.Log10(high/low) < 2.5
	for decade := math.Pow(10, math.Floor(math.Log10(low))); decade <= high; decade *= 10 {
		for digit := 1.0; digit < 10; digit++ {
			value := decade * digit
			if value < low*0.999 || value > high*1.001 {
				continue
			}
			tick := Tick{Value: value}
			if digit == 1 || few && (digit == 2 || digit == 5) {
				tick.Label = t.Word(value)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

type unit struct {
	size float64
	name string
}

// PercentTicks labels the quarters of an axis from 0 to 100.
type PercentTicks struct{}

// Ticks implements [Ticker].
func (PercentTicks) Ticks(_, _ float64) []Tick {
	return []Tick{{0, "0 %"}, {25, "25 %"}, {50, "50 %"}, {75, "75 %"}, {100, "100 %"}}
}

// Steps returns the multiples of 1, 2 or 5 by a power of ten in a range, with this number of steps or more.
func Steps(low, high, fewest float64) (all []float64) {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/fewest)))
	for _, times := range []float64{5, 2} {
		if step*times <= (high-low)/fewest {
			step *= times
			break
		}
	}
	for i := math.Ceil(low / step); i <= math.Floor(high/step); i++ {
		all = append(all, i*step)
	}
	return all
}

// ThreadTicks labels the measured numbers of threads. The most important come first: the ends, then the powers of two.
// Many numbers have no other labels.
type ThreadTicks struct{ Threads []int }

// Ticks implements [Ticker].
func (t ThreadTicks) Ticks(_, _ float64) []Tick {
	rank := func(i int) int {
		switch {
		case i == 0 || i == len(t.Threads)-1:
			return 0
		case bits.OnesCount(uint(t.Threads[i])) == 1:
			return 1
		default:
			return 2
		}
	}
	order := make([]int, len(t.Threads))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	const many = 64
	var ticks []Tick
	for _, at := range order {
		if len(order) <= many || rank(at) < 2 {
			ticks = append(ticks, Tick{Value: float64(t.Threads[at]), Label: strconv.Itoa(t.Threads[at])})
		}
	}
	return ticks
}

// apart returns the ticks without the labels that would touch an earlier one.
func apart(ticks []Tick, style draw.TextStyle, x func(float64) vg.Length) []Tick {
	const gap = 6 * Pixel
	ticks = slices.Clone(ticks)
	var taken [][2]vg.Length
	for i, tick := range ticks {
		if tick.Label == "" {
			continue
		}
		half := (style.Width(tick.Label) + gap) / 2
		from, to := x(tick.Value)-half, x(tick.Value)+half
		if slices.ContainsFunc(taken, func(other [2]vg.Length) bool { return from < other[1] && other[0] < to }) {
			ticks[i].Label = ""
			continue
		}
		taken = append(taken, [2]vg.Length{from, to})
	}
	return ticks
}

// Around returns the range of values for a logarithmic axis, widened by a factor at both ends. No point is on the edge,
// and a single value gets a range too.
func Around(values []float64, by float64) (low, high float64) {
	low, high = slices.Min(values), slices.Max(values)
	return low / by, high * by
}

// OffsetTicks labels an axis of nanoseconds that contains zero. All labels have the unit that
// suits the largest value.
type OffsetTicks struct{}

// Ticks implements [Ticker].
func (OffsetTicks) Ticks(low, high float64) []Tick {
	size := unit{1, " ns"}
	for _, u := range []unit{{1e9, " s"}, {1e6, " ms"}, {1e3, " µs"}} {
		if max(-low, high) >= u.size {
			size = u
			break
		}
	}
	var ticks []Tick
	for _, value := range Steps(low, high, 4) {
		label := "0" // not -0
		if value != 0 {
			label = words.ThreeDigits(value/size.size) + size.name
		}
		ticks = append(ticks, Tick{Value: value, Label: label})
	}
	return ticks
}

// Through returns the range of values in ns, widened to contain zero. No point is on the edge.
func Through(values []float64) (low, high float64) {
	const least = 1 // ns
	low, high = min(0, slices.Min(values)), max(0, slices.Max(values))
	room := max(0.06*(high-low), least)
	return low - room, high + room
}
