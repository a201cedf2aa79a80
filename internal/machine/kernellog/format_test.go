package kernellog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryFormatKnowsItsExample(t *testing.T) {
	for i, f := range formats {
		require.NotEmpty(t, f.example, "formats[%d] (%s): add a real line of the kernel as its example", i, f.kind)
		require.Equal(t, strings.ToLower(f.has), f.has, "%s: the text of the filter must be in lower case", f.example)
		found := formatOf(f.example)
		require.NotNil(t, found, "%s: its pattern does not match its example", f.example)
		require.Equal(t, f.pattern, found.pattern, "%s: an earlier format matches it", f.example)
		for _, group := range f.compiled().SubexpNames()[1:] {
			require.Contains(t, fields, group, "%s: add the group to fields", f.example)
		}
		require.Equal(t, f.weight > weightNone, Concerns(f.example), f.example)
		for _, line := range f.others {
			found := formatOf(line)
			require.True(t, found != nil && found.pattern == f.pattern, "%s: no line of the format of %s", line, f.example)
		}
		for _, line := range []string{f.example, strings.ToUpper(f.example), "[    1.000000] " + f.example, "Sep 11 07:03:06 host kernel: [    1.0] " + f.example} {
			events := Parse([]string{line})
			require.Len(t, events, 1, line)
			require.Equal(t, f.kind, events[0].Kind, line)
			require.NotEmpty(t, events[0].Line)
		}
	}
}

// TestEveryGroupIsUsed: a field that no pattern has is dead.
func TestEveryGroupIsUsed(t *testing.T) {
	var all strings.Builder
	for _, f := range formats {
		all.WriteString(f.compiled().String())
	}
	for group := range fields {
		require.Contains(t, all.String(), "(?P<"+group+">", "no pattern has this group: remove it from fields")
	}
}

func TestPatternsAreBounded(t *testing.T) {
	for _, f := range formats {
		require.NotRegexp(t, `\(\?i\)\.\*`, f.compiled().String(), "%s: a pattern that begins with .* is slow", f.example)
	}
}
