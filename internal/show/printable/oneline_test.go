package printable

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// Errors have names of files and clocks in them, and standard error may be a terminal.
func TestErrorHasNoControlCharacters(t *testing.T) {
	require.Equal(t, "results.json]0;owned; [2J: is \ufffdempty 31m",
		OneLine("results.json]0;owned\a\t\r\n\x1b[2J: is \u202eempty\u2028\u009b31m"))
}

func TestErrorsAreOneReadableLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"\n \n":                        "",
		" one   error\n":               "one error",
		"one:\n\tof two lines\n\nmore": "one: of two lines; more",
		"Ends here.\nBegins here":      "Ends here. Begins here",
	} {
		require.Equal(t, want, OneLine(text), "%q", text)
	}
	readOnly := "open current_clocksource: read-only file system"
	require.Equal(t, readOnly+"; clock source tsc could not be restored: "+readOnly,
		OneLine(errors.Join(errors.New(readOnly), errors.New("clock source tsc could not be restored: "+readOnly)).Error()))
}
