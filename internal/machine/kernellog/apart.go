package kernellog

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// A dates compares the dates of lines with their times since boot. They part where the machine slept or was paused, or
// the wall clock was set.
type dates struct {
	date time.Time
	up   float64 // in s; of the last line that has both
}

// Add adds a line. If the date went further than the time since boot by a minute or more, or went back, it returns a line
// for the document: "[  194.433596] (the date went 633 s further)". Syslog daemons give lines of the boot one date, the
// clock of the stamps drifts, dates without a year begin anew, and the local time changes by an hour.
func (d *dates) Add(line string) string {
	const least, drift, hour, months = 60, 1e-3, 3600, 100 * 86400 // in s
	line = line[:min(len(line), maxLooked)]
	stamp := uptimeFirst().FindStringSubmatch(line)
	if stamp == nil {
		return ""
	}
	p, found := matchingPrefix(line)
	if found == nil || !p.date {
		return ""
	}
	date, known := dateOf(found[1])
	up, err := strconv.ParseFloat(stamp[1], 64)
	if !known || err != nil {
		return ""
	}
	gap, passed, first := date.Sub(d.date).Seconds(), up-d.up, d.date.IsZero()
	d.date, d.up = date, up
	further := gap - passed
	switch {
	case first, passed < 0, math.Abs(gap) < least, math.Abs(further) < least+drift*passed, further < 0 && gap > 0,
		math.Abs(math.Abs(further)-hour) < least, date.Year() == 0 && math.Abs(further) > months:
		return ""
	}
	return fmt.Sprintf("%s (the date went %.0f s further)", uptimeStamp(int64(math.Round(min(up, 1e9)*1e6))), further)
}
