package runtimes

import (
	"fmt"
	"os"
	"regexp"
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
		row := fmt.Sprintf("\n| `%s` | %s | %s |\n", r.Name, program, strings.Join(calls, ", "))
		if !strings.Contains(string(page), row) { // require.Contains would print the page
			t.Errorf("add this row to docs/runtimes.md: %s", row)
		}
	}
}

// Every runtime is installed by .ci/run.
func TestEveryRuntimeIsTested(t *testing.T) {
	text, err := os.ReadFile("../../../.ci/run")
	require.NoError(t, err)
	for _, r := range All {
		named := regexp.MustCompile("TIMEBENCH_REQUIRE.*[\",]" + regexp.QuoteMeta(r.Name) + "[\",]")
		require.True(t, r.Name == "go" || named.Match(text), "add %s to .ci/run", r.Name)
	}
}
