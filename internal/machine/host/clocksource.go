package host

import "github.com/timebench/timebench/internal/machine/clocksource"

// clockSourceName returns the text if it can be the name of a clock source; otherwise "".
func clockSourceName(text string) string {
	if !clocksource.IsName(text) {
		return ""
	}
	return text
}
