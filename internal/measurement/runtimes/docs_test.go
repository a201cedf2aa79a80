package runtimes

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/runtimes.md lists the catalogue. Runtimes with the same calls share a line.
func TestDocsListEveryCall(t *testing.T) {
	page, err := os.ReadFile("../../../docs/runtimes.md")
	require.NoError(t, err)
	names := map[string]string{} // of the runtimes, by their calls
	for _, r := range All {
		program := " (timebench itself)"
		if slices.Equal(r.Programs, []string{r.Name}) {
			program = ""
		} else if len(r.Programs) > 0 {
			program = " (`" + strings.Join(r.Programs, "`, `") + "`)"
		}
		var calls []string
		for _, c := range r.Calls {
			calls = append(calls, "`"+c.Name+"`")
		}
		list := strings.Join(calls, ", ")
		if len(r.Sleeps) > 0 {
			list += "; sleeps: `" + strings.Join(r.Sleeps, "`, `") + "`"
		}
		names[list] += fmt.Sprintf(", `%s`%s", r.Name, program)
	}
	for list, of := range names {
		line := fmt.Sprintf("\n- %s: %s\n", strings.TrimPrefix(of, ", "), list)
		if !strings.Contains(string(page), line) { // require.Contains would print the page
			t.Errorf("add this line to docs/runtimes.md: %s", line)
		}
	}
}

// .ci/run requires every runtime, except those that only the runners of GitHub have.
func TestEveryRuntimeIsTested(t *testing.T) {
	read := func(file string) string {
		text, err := os.ReadFile("../../../" + file)
		require.NoError(t, err)
		return string(text)
	}
	_, exceptions, all := strings.Cut(read(".ci/run"), "}all,")
	require.True(t, all, ".ci/run requires all but exceptions")
	exceptions, _, _ = strings.Cut(exceptions, "\n")
	workflow := read(".github/workflows/ci.yaml")
	for _, r := range All {
		if slices.Contains(strings.Split(exceptions, ","), "-"+r.Name) {
			require.Regexp(t, `(?i)require: .*\b`+r.Name+`\b`, workflow, "a runner that has it must require it")
		}
	}
}
