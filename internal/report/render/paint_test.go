package render

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

func TestPaintColoursTheWordsThatMatter(t *testing.T) {
	text.EnableColors()
	defer text.DisableColors()
	for plain, want := range map[string]string{
		"error: reads enter the kernel\n":            "\x1b[31;1merror:\x1b[0m reads enter the kernel\n",
		"a\n\nWarning: other programs":               "a\n\n\x1b[33;1mWarning:\x1b[0m other programs",
		"c@vdso  20.2  808.8  × 40  slower\nd  same": "c@vdso  20.2  808.8  × 40  \x1b[31mslower\x1b[0m\nd  same",
		"All 17 clocks passed.\n":                    "All 17 \x1b[32mclocks passed\x1b[0m.\n",
		"no error: a slower clock":                   "no error: a slower clock",
	} {
		require.Equal(t, want, Paint(plain))
	}
}

// Words that the tables no longer use would be painted nowhere.
func TestPaintsAreOfTheTables(t *testing.T) {
	files, err := filepath.Glob("testdata/*.table.golden")
	require.NoError(t, err)
	var tables strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		tables.Write(content)
	}
	for _, paint := range paints {
		require.Regexp(t, paint.words, tables.String())
	}
}

// screen keeps what is shown to it apart from what is written.
type screen struct{ written, shown bytes.Buffer }

func (s *screen) Write(text []byte) (int, error) { return s.written.Write(text) }

func (s *screen) Show(table string) error {
	s.shown.WriteString(table)
	return nil
}

func (s *screen) Width() int { return 80 }

func TestOnlyTablesAreShownInColour(t *testing.T) {
	requireShown := func(what, format string, write func(io.Writer) error) {
		var out screen
		require.NoError(t, write(&out), what)
		shown, written := out.shown.Len() > 0, out.written.Len() > 0
		require.NotEqual(t, shown, written, "%s as %s is either", what, format)
		require.Equal(t, format == "table", shown, "%s as %s", what, format)
	}
	of := map[string][]Format[*result.Document]{"document": Formats, "doctor": DoctorFormats}
	for what, formats := range of {
		for _, format := range formats {
			requireShown(what, format.Name, func(w io.Writer) error { return format.Write(w, both()) })
		}
	}
	for _, format := range DiffFormats {
		requireShown("diff", format.Name, func(w io.Writer) error { return format.Write(w, demoted()) })
	}
}
