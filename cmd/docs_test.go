package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every command of the documentation exists, with each of its flags.
func TestDocsHaveRealCommands(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	evidence, err := filepath.Glob("../docs/evidence/*.md")
	require.NoError(t, err)
	typed := regexp.MustCompile("(?m)(?:^(?:\\$ )?|`)(?:sudo )?timebench ([a-z]+)([^`#>|\n]*)")
	checked := 0
	for _, name := range append(append(pages, evidence...), "../README.md", "../CONTRIBUTING.md") {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, c := range typed.FindAllStringSubmatch(string(text), -1) {
			command, _, err := Root().Find([]string{c[1]})
			require.NoError(t, err, "%s: %s", name, c[0])
			arguments, _, _ := strings.Cut(c[2], " -- ")
			for _, word := range strings.Fields(arguments) {
				if flag, isLong := strings.CutPrefix(word, "--"); isLong {
					flag, _, _ = strings.Cut(flag, "=")
					require.NotNil(t, command.Flags().Lookup(flag), "%s: timebench %s has no flag --%s", name, c[1], flag)
					checked++
				}
			}
		}
	}
	require.Greater(t, checked, 30)
}
