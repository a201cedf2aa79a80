package runtimes

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/runtimes.md lists the catalogue.
func TestDocsListEveryCall(t *testing.T) {
	page, err := os.ReadFile("../../../docs/runtimes.md")
	require.NoError(t, err)
	for _, r := range All {
		program := "timebench itself"
		if len(r.Programs) > 0 {
			program = "`" + strings.Join(r.Programs, "`, `") + "`"
		}
		var calls []string
		for _, c := range r.Calls {
			calls = append(calls, "`"+c.Name+"`")
		}
		require.Contains(t, string(page), fmt.Sprintf("\n| `%s` | %s | %s |\n", r.Name, program, strings.Join(calls, ", ")))
	}
}
