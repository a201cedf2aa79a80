package kernellog

import (
	"slices"
	"strings"
)

// formats are all messages. The first that matches counts.
var formats = slices.Concat(watchdogFormats, testFormats, tscFormats, timeFormats, otherFormats)

// formatOf returns the format of a text; nil if it has none, or if it only quotes a message.
func formatOf(text string) *format {
	small := strings.ToLower(text)
	for i := range formats {
		if f := &formats[i]; strings.Contains(small, f.has) {
			// The line of a program has its name and number first: another program may quote one.
			if at := f.compiled().FindStringIndex(text); at != nil && (!f.program || at[0] == 0) && Leads(text[:at[0]]) {
				return f
			}
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
