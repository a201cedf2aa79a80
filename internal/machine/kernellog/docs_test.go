package kernellog

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/kernel-messages.md explains every message, but those that only have facts of the machine.
func TestEveryFormatIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/kernel-messages.md")
	require.NoError(t, err)
	spaces := regexp.MustCompile(` {2,}`) // which align the figures
	for _, f := range formats {
		example := strings.TrimPrefix(spaces.ReplaceAllString(f.example, " "), "clocksource: ")
		require.True(t, f.weight == weightNone || strings.Contains(string(page), "`"+example+"`"), "add `%s` to docs/kernel-messages.md", example)
	}
}
