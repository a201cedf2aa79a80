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

// The list of the documentation has exactly the kinds of findings, with their severities, the worst first.
func TestTheDocumentHasEveryKind(t *testing.T) {
	text, err := os.ReadFile("../../docs/doctor.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## What it finds\n\n")
	require.True(t, found)
	list, _, _ := strings.Cut("\n"+section, "\n\n")
	kinds := map[string]bool{}
	for _, c := range append(slices.Clone(checks), limitCheck) {
		kinds[c.kind] = true
		last := -1
		for _, severity := range c.severities {
			at := slices.Index(result.Severities, severity)
			require.Greater(t, at, last, "%s: the worst comes first", c.kind)
			last = at
		}
		require.Contains(t, list, fmt.Sprintf("\n- `%s` (%s): ", c.kind, strings.Join(c.severities, ", ")),
			"add it to docs/doctor.md, with all its severities")
	}
	require.Len(t, kinds, len(checks)+1, "a kind is twice in checks")
	require.Equal(t, len(kinds), strings.Count(list, "\n- "), "a row of docs/doctor.md is of no kind")
}

// The list of the documentation has exactly the kinds of disturbance.
func TestTheDocumentHasEveryWarning(t *testing.T) {
	text, err := os.ReadFile("../../docs/measuring.md")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(text), "\n## Noise\n")
	require.True(t, found)
	for _, n := range warningTexts() {
		require.Contains(t, list, fmt.Sprintf("\n- `%s`: ", n.Name), "add it to the list of docs/measuring.md#noise")
	}
	require.Equal(t, len(warningTexts()), strings.Count(list, "\n- "), "a row of docs/measuring.md is of no kind")
}
