package runtimes

import (
	"fmt"
	"os"
	"regexp"
	"slices"
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
		line := fmt.Sprintf("\n- `%s` (%s): %s\n", r.Name, program, strings.Join(calls, ", "))
		if !strings.Contains(string(page), line) { // require.Contains would print the page
			t.Errorf("add this line to docs/runtimes.md: %s", line)
		}
	}
}

// Every runtime is installed by .ci/run, or on the runners of GitHub.
func TestEveryRuntimeIsTested(t *testing.T) {
	var required []string
	for _, file := range []string{".ci/run", ".github/workflows/ci.yaml"} {
		text, err := os.ReadFile("../../../" + file)
		require.NoError(t, err)
		for _, list := range regexp.MustCompile(`(?i)REQUIRE(?:\+?=|: )"?([^"\n]*)`).FindAllStringSubmatch(string(text), -1) {
			required = append(required, strings.Split(list[1], ",")...)
		}
	}
	for _, r := range All {
		tested := r.Name == "go" || slices.Contains(required, r.Name)
		require.True(t, tested, "add %s to .ci/run, or to a runner of the workflow that has it", r.Name)
	}
}
