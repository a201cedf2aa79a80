package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
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
				if copied(line, arguments) { // it stands whole in a line, also if it is wider
					continue
				}
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

// copied reports whether a line of the help of a command is an example.
func copied(line string, arguments []string) bool {
	command, _, err := Root().Find(arguments[:1])
	return err == nil && line != "" && slices.Contains(strings.Split(command.Example, "\n"), line)
}

var backticks = regexp.MustCompile("`[^`]+`")

// A command in a help, a page or the README stands whole in one line, without a comment, so that it can be pasted.
func TestCommandsStandWhole(t *testing.T) {
	for _, columns := range []int{table.Narrowest, 80, 100} {
		for _, c := range append(Root().Commands(), Root()) {
			out := &screen{columns: columns}
			c.SetOut(&output{to: out})
			require.NoError(t, c.Help())
			for _, command := range append(backticks.FindAllString(c.Long, -1), strings.Split(c.Example, "\n")...) {
				require.NotContains(t, command, "\n", c.Name())
				require.NotContains(t, command, "#", c.Name())
				require.Contains(t, out.String(), command, "%s at %d columns", c.Name(), columns)
			}
		}
	}
	pages, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	for _, page := range append(pages, "../README.md", "../CONTRIBUTING.md", "../deploy/README.md") {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		for i, text := range strings.Split(string(content), "```") {
			if i%2 == 0 {
				for _, span := range backticks.FindAllString(text, -1) {
					require.NotContains(t, span, "\n", page)
				}
				continue
			}
			for line := range strings.Lines(text) {
				require.NotRegexp(t, `^(\$ )?(sudo|timebench|go|kubectl|helm|systemctl|\./|\.ci/|test/).* # `, line, page)
			}
		}
	}
}
