package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ns words nanoseconds to the places that mean something: two below 10, one
// below 1000, none above.
func ns(value float64) string {
	switch {
	case value < 10:
		return strconv.FormatFloat(value, 'f', 2, 64)
	case value < 1000:
		return strconv.FormatFloat(value, 'f', 1, 64)
	default:
		return thousands(int64(math.Round(value)))
	}
}

// thousands parts the digits of n, which is not negative, by commas.
func thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// duration words nanoseconds with the unit that suits, to three digits.
func duration(valueNS float64) string {
	for _, unit := range []struct {
		ns   float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if valueNS >= unit.ns*0.9995 {
			return threeDigits(valueNS/unit.ns) + " " + unit.name
		}
	}
	return threeDigits(valueNS) + " ns"
}

// rate words a number a second with the unit that suits, to three digits.
func rate(perSecond float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "G/s"}, {1e6, "M/s"}, {1e3, "k/s"}} {
		if perSecond >= unit.size*0.9995 {
			return threeDigits(perSecond/unit.size) + " " + unit.name
		}
	}
	return threeDigits(perSecond) + " /s"
}

// hertz words a frequency.
func hertz(hz float64) string {
	if hz >= 1e6 {
		return fmt.Sprintf("%.1f MHz", hz/1e6)
	}
	return threeDigits(hz) + " Hz"
}

// threeDigits writes a value below 1000 with three significant digits and no
// empty ones.
func threeDigits(value float64) string {
	if value >= 100 {
		return strconv.FormatFloat(math.Round(value), 'f', -1, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 3, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// signedDuration is duration for what may be negative.
func signedDuration(valueNS float64) string {
	switch {
	case math.Abs(valueNS) < 0.0005: // and not dozens of noughts
		return "0 ns"
	case valueNS < 0:
		return "-" + duration(-valueNS)
	default:
		return duration(valueNS)
	}
}

// boundedNS words nanoseconds and how far they may be from the truth.
func boundedNS(value, bound float64) string {
	return signedDuration(value) + " ± " + signedDuration(bound)
}

// bounded writes a value to the place of the second digit of its bound.
func bounded(value, bound float64) string {
	const most = 1e15 // from where on digits mean nothing
	if max(math.Abs(value), bound) >= most {
		return fmt.Sprintf("%.3g ± %.3g", value, bound)
	}
	places := 3
	if bound > 0 {
		places = min(max(0, 1-int(math.Floor(math.Log10(bound)))), 6)
	}
	return grouped(value, places) + " ± " + grouped(bound, places)
}

// grouped writes a value below 1e15 with so many places, its digits parted by commas.
func grouped(value float64, places int) string {
	text := strconv.FormatFloat(math.Abs(value), 'f', places, 64)
	whole, fraction, found := strings.Cut(text, ".")
	n, _ := strconv.ParseInt(whole, 10, 64)
	if found {
		fraction = "." + fraction
	}
	if value < 0 && strings.Trim(text, "0.") != "" {
		return "-" + thousands(n) + fraction
	}
	return thousands(n) + fraction
}
