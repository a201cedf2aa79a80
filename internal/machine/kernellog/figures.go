package kernellog

import (
	"fmt"
	"math"
	"strconv"

	"github.com/timebench/timebench/internal/show/words"
)

// span returns an interval in ns with four digits, as the arithmetic of a cause needs: 289.5 s, 12.1 h.
func span(ns float64) string {
	size := math.Abs(ns)
	for _, unit := range []struct {
		ns   float64
		name string
	}{{86400e9, "days"}, {3600e9, "h"}, {1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		least := unit.ns
		if least > 1e9 {
			least *= 2
		}
		if size >= least {
			return fourDigits(size/unit.ns) + " " + unit.name
		}
	}
	return fourDigits(size) + " ns"
}

// moreOrLess returns a difference: "131.6 ms less".
func moreOrLess(ns float64) string {
	if ns == 0 { // an impossible figure
		return "more or less"
	}
	return words.Either(ns < 0, span(ns)+" less", span(ns)+" more")
}

// behind returns by how much a clock is wrong: "131.6 ms behind".
func behind(ns float64) string {
	if ns == 0 { // an impossible figure
		return "wrong"
	}
	return span(ns) + words.Either(ns < 0, " ahead", " behind")
}

func fourDigits(value float64) string {
	if value >= 1000 {
		return words.Grouped(value, 0)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 4, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// deviation returns a deviation in per cent, with its sign, and in ppm: "+0.177 % (1770 ppm)". An impossible factor is
// left out.
func deviation(ppm float64) string {
	switch size := math.Abs(ppm); {
	case size < 1:
		return "less than 1 ppm"
	case size >= 500e3:
		return fmt.Sprintf("%+.0f %%", ppm/1e4)
	case size >= 50e3:
		return fmt.Sprintf("%+.3g %%", ppm/1e4)
	default:
		return fmt.Sprintf("%+.3g %% (%s ppm)", ppm/1e4, strconv.FormatFloat(math.Round(size), 'f', -1, 64))
	}
}

// cpuNames returns the CPUs that events name: "CPU 36", "CPUs 2 and 3"; "a CPU" if they name none.
func cpuNames(events []Event) string {
	var cpus []int
	others := ""
	for _, e := range events {
		if cpus = append(cpus, e.CPUs...); e.Count > 1 { // a folded line names only the first
			others = ", and perhaps others"
		}
	}
	return words.Either(len(cpus) == 0, "a CPU", words.CPUs(cpus)+others)
}

// Older returns whether the release of a Linux kernel, such as 6.12.3-amd64, is older than a version. An unknown
// release is not.
func Older(release string, major, minor int) bool {
	var a, b int
	if n, _ := fmt.Sscanf(release, "%d.%d", &a, &b); n < 2 {
		return false
	}
	return a < major || a == major && b < minor
}
