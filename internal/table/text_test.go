package table

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A long name does not leave its value without room.
func TestFactWithALongName(t *testing.T) {
	var out strings.Builder
	WriteFacts(&out, []Fact{{Name: "a", Value: "1"}, {Name: strings.Repeat("n", 200), Value: "a value of " + strings.Repeat("word ", 30)}, {Name: "bcd", Value: "2"}}, 0)
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, len(line), Width+1)
	}
	require.Contains(t, out.String(), "a    1\n")
	require.Contains(t, out.String(), "     a value of word")
	require.Contains(t, out.String(), "bcd  2\n")
}
