package picture

import (
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// LogTicks returns ticks that label the decades of a logarithmic axis; if there are few, also their 2 and 5, or all
// digits.
func LogTicks(word func(float64) string) Ticks {
	return func(low, high float64) (ticks []Tick) {
		few, fewest := high/low < 300, high/low < 5
		const least = -300 // the power of ten below is 0 on some CPUs, and ten times 0 is 0
		for decade := math.Pow(10, max(least, math.Floor(math.Log10(low)))); decade <= high; decade *= 10 {
			for digit := 1.0; digit < 10; digit++ {
				value := decade * digit
				if value < low*0.999 || value > high*1.001 {
					continue
				}
				tick := Tick{Value: value}
				if digit == 1 || fewest || few && (digit == 2 || digit == 5) {
					tick.Label = word(value)
				}
				ticks = append(ticks, tick)
			}
		}
		return ticks
	}
}

type unit struct {
	size float64
	name string
}

// PercentTicks labels the quarters of an axis from 0 to 100.
var PercentTicks = At([]Tick{{0, "0 %"}, {25, "25 %"}, {50, "50 %"}, {75, "75 %"}, {100, "100 %"}})

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
func ThreadTicks(threads []int) Ticks {
	const many = 64
	var ends, powers, others []Tick
	for i, n := range threads {
		tick := Tick{Value: float64(n), Label: strconv.Itoa(n)}
		switch {
		case i == 0 || i == len(threads)-1:
			ends = append(ends, tick)
		case bits.OnesCount(uint(n)) == 1:
			powers = append(powers, tick)
		case len(threads) <= many:
			others = append(others, tick)
		}
	}
	return At(slices.Concat(ends, powers, others))
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

// LogAxis returns a logarithmic axis of values, widened by a factor at both ends. No point is on the edge, and a single
// value gets a range too.
func LogAxis(values []float64, by float64, ticks Ticks) Axis {
	return Axis{Min: slices.Min(values) / by, Max: slices.Max(values) * by, Log: true, Ticks: ticks}
}

// offsetTicks labels an axis of nanoseconds that contains zero. All labels have the unit that
// suits the largest value.
func offsetTicks(low, high float64) (ticks []Tick) {
	size := unit{1, " ns"}
	for _, u := range []unit{{1e9, " s"}, {1e6, " ms"}, {1e3, " µs"}} {
		if max(-low, high) >= u.size {
			size = u
			break
		}
	}
	for _, value := range Steps(low, high, 4) {
		label := "0" // not -0
		if value != 0 {
			label = words.ThreeDigits(value/size.size) + size.name
		}
		ticks = append(ticks, Tick{Value: value, Label: label})
	}
	return ticks
}

// OffsetAxis returns an axis of values in ns, widened to contain zero. No point is on the edge.
func OffsetAxis(values []float64) Axis {
	const least = 1 // ns
	low, high := min(0, slices.Min(values)), max(0, slices.Max(values))
	room := max(0.06*(high-low), least)
	return Axis{Min: low - room, Max: high + room, Ticks: offsetTicks}
}
