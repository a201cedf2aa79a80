// Package words formats numbers, durations, rates and lists for people. All output of
// timebench uses it, so that a figure looks the same in every table, sentence and picture.
package words

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// NS returns nanoseconds without the unit, rounded to meaningful digits: two decimals below 10, one below 1000, none
// above.
func NS(value float64) string {
	switch {
	case value < 10:
		return strconv.FormatFloat(value, 'f', 2, 64)
	case value < 1000:
		return strconv.FormatFloat(value, 'f', 1, 64)
	default:
		return Thousands(int64(math.Round(value)))
	}
}

// Thousands returns n with commas between groups of three digits. n is not negative.
func Thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Count returns a whole number that is not negative, as [Thousands] does.
func Count(n float64) string { return Thousands(int64(n)) }

// Duration returns nanoseconds in a suitable unit with three digits: 1.25 ms; from 1,000 s on in
// whole seconds.
func Duration(valueNS float64) string {
	const most = 1e24 // digits above it have no meaning
	switch {
	case valueNS >= most:
		return fmt.Sprintf("%.3g s", valueNS/1e9)
	case valueNS >= 1e12:
		return Grouped(valueNS/1e9, 0) + " s"
	}
	return inUnit(valueNS, "s", "ms", "µs", "ns")
}

// inUnit returns a value with three digits in a suitable unit. The units stand for 1e9, 1e6, 1e3 and 1.
func inUnit(value float64, units ...string) string {
	for i, size := range []float64{1e9, 1e6, 1e3} {
		if value >= size*0.9995 {
			return ThreeDigits(value/size) + " " + units[i]
		}
	}
	return ThreeDigits(value) + " " + units[3]
}

// Rate returns a number per second in a suitable unit with three digits: 46.1 M/s.
func Rate(perSecond float64) string { return inUnit(perSecond, "G/s", "M/s", "k/s", "/s") }

// Hertz returns a frequency: 2596.1 MHz.
func Hertz(hz float64) string {
	if hz >= 1e6 {
		return fmt.Sprintf("%.1f MHz", hz/1e6)
	}
	return ThreeDigits(hz) + " Hz"
}

// ThreeDigits returns a value below 1000 with three significant digits, without trailing
// zeros.
func ThreeDigits(value float64) string {
	if value >= 100 {
		return strconv.FormatFloat(math.Round(value), 'f', -1, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 3, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// SignedDuration is Duration for a value that may be negative.
func SignedDuration(valueNS float64) string {
	switch {
	case math.Abs(valueNS) < 0.0005: // instead of many zeros
		return "0 ns"
	case valueNS < 0:
		return "-" + Duration(-valueNS)
	default:
		return Duration(valueNS)
	}
}

// BoundedNS returns nanoseconds with their error bound: 5 ns ± 86 ns.
func BoundedNS(value, bound float64) string {
	return SignedDuration(value) + " ± " + SignedDuration(bound)
}

// Bounded returns a value with its error bound, both rounded to the second significant digit
// of the bound.
func Bounded(value, bound float64) string {
	const most = 1e15 // digits above it have no meaning
	if max(math.Abs(value), bound) >= most {
		return fmt.Sprintf("%.3g ± %.3g", value, bound)
	}
	places := 3
	if bound > 0 {
		places = min(max(0, 1-int(math.Floor(math.Log10(bound)))), 6)
	}
	return Grouped(value, places) + " ± " + Grouped(bound, places)
}

// Grouped returns a value below 1e15 with the given number of decimals and with commas
// between groups of three digits.
func Grouped(value float64, places int) string {
	text := strconv.FormatFloat(math.Abs(value), 'f', places, 64)
	whole, fraction, found := strings.Cut(text, ".")
	n, _ := strconv.ParseInt(whole, 10, 64)
	if found {
		fraction = "." + fraction
	}
	if value < 0 && strings.Trim(text, "0.") != "" {
		return "-" + Thousands(n) + fraction
	}
	return Thousands(n) + fraction
}

// Percent returns a share as a percentage; "none" only for 0.
func Percent(share float64) string {
	switch {
	case share == 0:
		return "none"
	case share < 0.0001:
		return "< 0.01 %"
	default:
		return ThreeDigits(share*100) + " %"
	}
}

// SignedPPM returns parts per million with their sign, for a rate without an error bound.
func SignedPPM(ppm float64) string {
	size, sign := math.Abs(ppm), "+"
	if ppm < 0 {
		sign = "-"
	}
	switch {
	case size < 0.0005:
		return "0"
	case size >= 1000:
		return sign + Grouped(size, 0)
	default:
		return sign + ThreeDigits(size)
	}
}

// Number returns a value with all its digits, for programs.
func Number(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

// Times returns a ratio with three digits: 1.04, 17.3.
func Times(ratio float64) string {
	if ratio < 10 {
		return fmt.Sprintf("%.2f", ratio)
	}
	return ThreeDigits(ratio)
}
