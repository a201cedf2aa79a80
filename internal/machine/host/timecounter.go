package host

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/clocksource"
)

// timecounter is the prefix of the sysctls of the timecounter of a BSD kernel: timecounters(4).
const timecounter = "kern.timecounter."

// timecounterSettings are the sysctls below it that decide whether a read enters the kernel, and whether the TSC is
// used and why not: sys/kern/kern_tc.c and sys/x86/x86/tsc.c of FreeBSD.
var timecounterSettings = []string{"fast_gettime", "smp_tsc", "smp_tsc_adjust", "invariant_tsc", "disable_tsc",
	"tsc_shift"}

// timecounterChoice matches an entry of kern.timecounter.choice: TSC-low(-100) of FreeBSD, tsc(2000) of OpenBSD, and
// TSC(q=3000, f=2495994000 Hz) of NetBSD.
var timecounterChoice = regexp.MustCompile(`([^\s()]+)\((?:q=)?(-?\d+)[^()]*\)`)

// maxTimecounters bounds the entries of kern.timecounter.choice.
const maxTimecounters = 64

// Timecounter returns the clock source of a BSD kernel from the text of `sysctl kern.timecounter`. FreeBSD prints name:
// value, NetBSD name = value, and OpenBSD name=value. It returns nil if the text has no valid hardware.
func Timecounter(text string) *result.ClockSource {
	found := &result.ClockSource{Available: []string{}}
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), timecounter)
		at := strings.IndexAny(line, ":=")
		if !ok || at < 0 {
			continue
		}
		name, value := strings.TrimSpace(line[:at]), strings.TrimSpace(line[at+1:])
		switch {
		case name == "hardware":
			found.Current = clocksource.Name(value)
		case name == "choice":
			found.Qualities = timecounterQualities(value)
		case slices.Contains(timecounterSettings, name):
			if number, err := strconv.Atoi(value); err == nil {
				found.Settings = append(found.Settings, timecounter+name+"="+strconv.Itoa(number))
			}
		}
	}
	if found.Current == "" {
		return nil
	}
	for _, of := range found.Qualities {
		found.Available = append(found.Available, of.Name)
	}
	slices.Sort(found.Settings)
	found.Settings = slices.Compact(found.Settings)
	return found
}

func timecounterQualities(choice string) []result.Quality {
	var all []result.Quality
	for _, match := range timecounterChoice.FindAllStringSubmatch(choice, maxTimecounters) {
		name := clocksource.Name(match[1])
		quality, err := strconv.ParseInt(match[2], 10, 32)
		if name == "" || err != nil || slices.ContainsFunc(all, func(of result.Quality) bool { return of.Name == name }) {
			continue
		}
		all = append(all, result.Quality{Name: name, Quality: int(quality)})
	}
	return all
}
