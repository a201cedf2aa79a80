package render

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/show/table"
)

// A terminal shows the levels of a report in colour, and nothing else has escape sequences.
func TestLevelsAreInColour(t *testing.T) {
	text.EnableColors()
	defer text.DisableColors()
	text := func(r Report) string {
		out := screen{columns: table.Width}
		require.NoError(t, r.Text(&out))
		var plain bytes.Buffer
		require.NoError(t, r.Text(&plain))
		require.NotContains(t, plain.String(), "\x1b")
		require.Equal(t, plain.String(), escapes.ReplaceAllString(out.String(), ""))
		return out.String()
	}
	shown := text(OfDiagnosis(onHPET()))
	require.Contains(t, shown, "\x1b[31mReading the clock is slow: ")
	require.Contains(t, shown, "\x1b[31merror:\x1b[0m ")
	require.Contains(t, text(OfDiff(demoted())), "  \x1b[31mslower\x1b[0m\n")
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")
