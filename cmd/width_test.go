package cmd

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/show/table"
)

// A screen is a terminal with a given width.
type screen struct {
	bytes.Buffer
	columns int
}

func (s *screen) Show(text string) error { _, err := s.WriteString(text); return err }
func (s *screen) Width() int             { return s.columns }

// Add a row for each command whose output is not a report.
func TestOutputFitsTerminals(t *testing.T) {
	commands := [][]string{{"list"}, {"env"}, {"--help"}, {"help", "completion"}}
	for _, c := range Root().Commands() {
		if c.IsAvailableCommand() {
			commands = append(commands, []string{c.Name(), "--help"})
		}
	}
	require.Greater(t, len(commands), 12)
	for _, columns := range []int{table.Narrowest, 80, 100, 120} {
		for _, arguments := range commands {
			out := &screen{columns: columns}
			root := Root()
			root.SetOut(&output{to: out})
			root.SetArgs(arguments)
			require.NoError(t, root.Execute())
			lines := strings.Split(out.String(), "\n")
			require.Greater(t, len(lines), 3, arguments)
			for _, line := range lines {
				require.LessOrEqual(t, text.StringWidth(line), columns, "%v at %d columns: %s", arguments, columns, line)
			}
			if !slices.Equal(arguments, []string{"list"}) {
				continue
			}
			for _, c := range clock.Catalog() {
				require.True(t, slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, c.ID+" ") }),
					"%s at %d columns: %s", c.ID, columns, out)
			}
		}
	}
}

// A long example can be copied into a shell.
func TestLongExamplesContinue(t *testing.T) {
	require.Equal(t, "  timebench watch --textfile \\\n    /var/lib/node/timebench.prom\n  timebench doctor\n",
		examples("  timebench watch --textfile /var/lib/node/timebench.prom\n  timebench doctor", 40))
}
