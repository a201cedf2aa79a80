package diagnose

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// kindsAndSeverities are kinds of findings, with the severities of each, the worst first.
type kindsAndSeverities map[string][]string

func (k kindsAndSeverities) add(kind string, severities ...string) {
	for _, severity := range severities {
		if !slices.Contains(k[kind], severity) {
			k[kind] = append(k[kind], severity)
		}
	}
	slices.SortFunc(k[kind], func(a, b string) int {
		return slices.Index(result.Severities, a) - slices.Index(result.Severities, b)
	})
}

// requireIn fails for a kind that found lacks, with what to do about it, and for one that does not exist.
func (k kindsAndSeverities) requireIn(t *testing.T, found kindsAndSeverities, whatToDo string) {
	t.Helper()
	for kind, severities := range k {
		require.Equal(t, severities, found[kind], whatToDo, kind)
	}
	for kind := range found {
		require.NotEmpty(t, k[kind], "%s is no kind of finding", kind)
	}
}

func everyKind() kindsAndSeverities {
	all := kindsAndSeverities{}
	for _, c := range append(slices.Clone(checks), limitCheck) {
		all.add(c.kind, c.severities...)
	}
	return all
}

func TestEveryKindIsOnceInTheTable(t *testing.T) {
	require.Len(t, everyKind(), len(checks)+1)
	for _, c := range append(slices.Clone(checks), limitCheck) {
		require.Equal(t, everyKind()[c.kind], []string(c.severities), "%s: the worst comes first", c.kind)
		for _, severity := range c.severities {
			require.Contains(t, result.Severities, severity, c.kind)
		}
	}
}

// The table of the documentation has every kind, and no other.
func TestTheDocumentHasEveryKind(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "doctor.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## What it finds\n\n| kind | severity |")
	require.True(t, found)
	table, _, _ := strings.Cut(section, "\n\n")
	documented := kindsAndSeverities{}
	for _, row := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(row, " | ")
		kind := strings.Trim(cells[0], "| `")
		require.NotContains(t, documented, kind, "duplicate row")
		documented.add(kind, strings.Split(cells[1], ", ")...)
		require.Equal(t, strings.Join(documented[kind], ", "), cells[1], "%s: the worst comes first", kind)
	}
	everyKind().requireIn(t, documented, "%s: add its row to docs/doctor.md, with all its severities")
}
