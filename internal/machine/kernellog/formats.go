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
			if at := f.compiled().FindStringIndex(text); at != nil && Leads(text[:at[0]]) {
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
