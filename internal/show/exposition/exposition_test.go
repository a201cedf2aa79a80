package exposition

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func written(t *testing.T, families ...Family) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, Write(&out, families))
	return out.String()
}

func TestWrite(t *testing.T) {
	require.Equal(t, `# HELP a_seconds Time of \\ one\nread.
# TYPE a_seconds gauge
a_seconds{clock="x@y",path="a\\b\"c\nd"} 2.17e-08
a_seconds{clock="\ufffdé"} NaN
a_seconds +Inf
# HELP b_total Events.
# TYPE b_total counter
b_total 3
`, strings.ReplaceAll(written(t,
		Family{"a_seconds", "Time of \\ one\nread.", Gauge, []Sample{
			{[]string{"clock", "x@y", "path", "a\\b\"c\nd"}, 21.7e-9},
			{[]string{"clock", "\xffé"}, math.NaN()},
			{nil, math.Inf(1)},
			{nil, 7},
		}},
		Family{Name: "none_total", Type: Counter},
		One("b_total", Counter, "Events.", 3),
	), "\ufffd", `\ufffd`))
	require.Empty(t, written(t))
}

// Any value of a label is on one line, and can be read back.
func FuzzLabel(f *testing.F) {
	for _, text := range []string{"", "tsc", "a\nb", `\`, `"`, `\n`, "\xff", "a\r\u2028b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var out strings.Builder
		require.NoError(t, Write(&out, []Family{{"a", "Help.", Gauge, []Sample{{[]string{"b", text}, 1}}}}))
		lines := strings.Split(out.String(), "\n")
		require.Len(t, lines, 4)
		value, ok := strings.CutPrefix(lines[2], `a{b="`)
		require.True(t, ok)
		value, ok = strings.CutSuffix(value, `"} 1`)
		require.True(t, ok)
		require.Equal(t, strings.ToValidUTF8(text, "\ufffd"), strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\"`,
			`"`).Replace(value))
	})
}
