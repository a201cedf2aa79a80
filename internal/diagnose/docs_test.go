package diagnose

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// The table of the documentation has every kind with its severities, the worst first, and no other.
func TestTheDocumentHasEveryKind(t *testing.T) {
	text, err := os.ReadFile("../../docs/doctor.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## What it finds\n\n| kind | severity |")
	require.True(t, found)
	table, _, _ := strings.Cut(section, "\n\n")
	kinds := map[string]bool{}
	for _, c := range append(slices.Clone(checks), limitCheck) {
		kinds[c.kind] = true
		last := -1
		for _, severity := range c.severities {
			at := slices.Index(result.Severities, severity)
			require.Greater(t, at, last, "%s: the worst comes first", c.kind)
			last = at
		}
		require.Contains(t, table, fmt.Sprintf("\n| `%s` | %s |", c.kind, strings.Join(c.severities, ", ")), "add its row to docs/doctor.md, with all its severities")
	}
	require.Len(t, kinds, len(checks)+1, "a kind is twice in checks")
	require.Equal(t, len(kinds)+1, strings.Count(table, "\n"), "a row of docs/doctor.md is of no kind")
}
