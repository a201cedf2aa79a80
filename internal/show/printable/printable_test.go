package printable

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
)

func TestLineIsOneLineThatNoTerminalObeys(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"AMD EPYC™ 7B13 – naïve 時計 🕰️": "AMD EPYC™ 7B13 – naïve 時計 🕰️",
		"a\x1b]0;title\ab":             "a ]0;title b",
		"a\tb\nc\rd\x7f":               "a b c d ",
		"a\u009b2Jb\u0085c":            "a 2Jb c",
		"a\u2028b\u2029c":              "a b c",
		"a\u202eb\u2066c\u200fd\u061ce\u200bf\ufeffg\U000e0041h": "a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf\ufffdg\ufffdh",
		"a\x9bb\xffc\xe2\x80d": "a\ufffdb\ufffdc\ufffdd",
	} {
		require.Equal(t, want, Line(text), "%q", text)
		require.Equal(t, want, Line(want), "%q", text)
	}
	for r := range unicode.MaxRune {
		if strings.ContainsFunc(Line(string(r)), isControl) {
			t.Fatalf("%U is left", r)
		}
	}
}

type inner struct{ Text string }

type outer struct {
	Inner   inner
	Named   time.Month
	Word    word
	Pointer *inner
	Nothing *inner
	List    []*inner
	Empty   []string
	None    []string
	Numbers []float64
	When    time.Time
}

type word string

func TestAllReachesEachTextAndChangesNone(t *testing.T) {
	before := func() *outer {
		return &outer{
			Inner: inner{"a"}, Word: "b", Pointer: &inner{"c"}, List: []*inner{{"d"}, nil, {"e"}}, Empty: []string{},
			Numbers: []float64{1}, When: time.Unix(1, 0).UTC(),
		}
	}
	value := before()
	got := All(value, strings.ToUpper)
	require.Equal(t, before(), value)
	require.Same(t, &value.Numbers[0], &got.Numbers[0], "what holds no text is not copied")
	want := before()
	want.Inner.Text, want.Word, want.Pointer.Text, want.List[0].Text, want.List[2].Text = "A", "B", "C", "D", "E"
	require.Equal(t, want, got)
}

// Errors contain names of files and clocks, and standard error may be a terminal.
func TestErrorsAreOneReadableLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"\n \n":                        "",
		" one   error\n":               "one error",
		"one:\n\tof two lines\n\nmore": "one: of two lines; more",
		"Ends here.\nBegins here":      "Ends here. Begins here",
		"results.json]0;owned\a\t\r\n\x1b[2J: is \u202eempty\u2028\u009b31m": "results.json]0;owned; [2J: is \ufffdempty 31m",
	} {
		require.Equal(t, want, OneLine(text), "%q", text)
	}
	readOnly := "open current_clocksource: read-only file system"
	require.Equal(t, readOnly+"; clock source tsc could not be restored: "+readOnly,
		OneLine(errors.Join(errors.New(readOnly),
			errors.New("clock source tsc could not be restored: "+readOnly)).Error()))
}
