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
	require.Len(t, entries(), len(texts.Entries(findingsFile)), "two entries have the same name")
	for name, e := range entries() {
		_, end, _ := strings.Cut(name, " ")
		used := strings.Contains(source.String(), `"`+name+`"`) || end != "" && strings.Contains(source.String(), `" `+end+`"`) || strings.Contains(name, "-with-a-page")
		require.True(t, used, "no check uses %s", name)
		require.NotEmpty(t, e.Get("cause"), "%s: a cause for every machine", name)
		for _, f := range e.Fields {
			requireField(t, name, f, "where", "severity", "title", "cause", "also", "evidence", "remedies", "link")
			for _, figure := range regexp.MustCompile(`\{[^}]*\}`).FindAllString(f.Value, -1) {
				require.Contains(t, source.String(), `"`+figure+`"`, name)
			}
		}
	}
}

// Every entry of warnings.txt has an observation, an effect, an advice and only known fields.
func TestTextsOfWarnings(t *testing.T) {
	require.Len(t, warningTexts(), len(observations))
	for _, n := range warningTexts() {
		require.Contains(t, observations, n.Name)
		keys := map[string]bool{}
		for _, f := range n.Fields {
			keys[requireField(t, n.Name, f, "affects", "advice")] = true
		}
		require.Len(t, keys, 2, n.Name)
	}
}

// requireField requires that a field has one of the keys, and only facts that exist. It returns the key.
func requireField(t *testing.T, entry string, f texts.Field, keys ...string) string {
	t.Helper()
	s := situation.Of(&result.Document{})
	key, facts, _ := strings.Cut(f.Key, " if ")
	require.Contains(t, keys, key, entry)
	if key == "where" {
		facts = f.Value
	}
	for _, fact := range regexp.MustCompile(" or |, ").Split(facts, -1) {
		require.NotPanics(t, func() { remedy.Holds(s, fact) }, "%s: %s", entry, fact)
	}
	return key
}
