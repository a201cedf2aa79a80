package diagnose

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/texts"
)

// Every entry of findings.txt has a cause and only known fields, a check uses it, and the code has its figures.
func TestTextsOfFindings(t *testing.T) {
	var source strings.Builder
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		if text, err := os.ReadFile(file); !strings.HasSuffix(file, "_test.go") {
			require.NoError(t, err)
			source.Write(text)
		}
	}
	s := situation.Of(&result.Document{})
	require.Len(t, entries(), len(texts.Entries(findingsFile)), "two entries have the same name")
	for name, e := range entries() {
		_, end, _ := strings.Cut(name, " ")
		used := strings.Contains(source.String(), `"`+name+`"`) || end != "" && strings.Contains(source.String(), ` + " `+end+`"`) ||
			strings.Contains(source.String(), `+= " `+end+`"`) || strings.Contains(name, "-with-a-page")
		require.True(t, used, "no check uses %s", name)
		require.NotEmpty(t, e.Get("cause"), "%s: a cause for every machine", name)
		for _, f := range e.Fields {
			key, facts, _ := strings.Cut(f.Key, " if ")
			require.Contains(t, []string{"title", "cause", "also", "remedies", "link"}, key, name)
			for _, fact := range regexp.MustCompile(" or |, ").Split(facts, -1) {
				require.NotPanics(t, func() { remedy.Holds(s, fact) }, "%s: %s", name, fact)
			}
			for _, figure := range regexp.MustCompile(`\{[^}]*\}`).FindAllString(f.Value, -1) {
				require.Contains(t, source.String(), `"`+figure+`"`, name)
			}
		}
	}
}
