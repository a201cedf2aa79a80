package kernellog

import (
	"slices"
	"strings"
)

// formats are all messages. The first that matches counts.
var formats = compiled(slices.Concat(watchdogFormats, testFormats, tscFormats, otherFormats, timeFormats))

func compiled(all []format) []format {
	for i := range all {
		all[i].compiled = lazily("(?i)" + all[i].pattern)
	}
	return all
}

func formatOf(text string) *format {
	small := strings.ToLower(text)
	for i := range formats {
		if f := &formats[i]; strings.Contains(small, f.has) && f.compiled().MatchString(text) {
			return f
		}
	}
	return nil
}

// mayHave returns whether a line, with its stamp and in lower case, may be a message with a format: a fast filter,
// since to split a line takes longer than to search it.
func mayHave(small string) bool {
	for i := range formats {
		if strings.Contains(small, formats[i].has) {
			return true
		}
	}
	return false
}
