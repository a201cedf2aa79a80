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
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
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

// The examples can be run one after another: no command writes into a folder with the results of
// another one.
func TestExamplesHaveFoldersOfTheirOwn(t *testing.T) {
	var text strings.Builder
	var gather func(*cobra.Command)
	gather = func(command *cobra.Command) {
		text.WriteString(command.Example + "\n")
		for line := range strings.SplitSeq(command.Example, "\n") {
			require.LessOrEqual(t, len(line), 80, "a command is not wrapped: %s", line)
		}
		for _, below := range command.Commands() {
			gather(below)
		}
	}
	gather(Root())
	docs, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	for _, name := range append(docs, "../README.md", "../CONTRIBUTING.md") {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		text.Write(content)
	}
	found := regexp.MustCompile("timebench ([a-z]+)\\b[^`\n]*--out ([^`\\s]+)").FindAllStringSubmatch(text.String(), -1)
	require.Greater(t, len(found), 10)
	by := map[string]string{}
	for _, example := range found {
		command, folder := example[1], filepath.Clean(example[2])
		if first, ok := by[folder]; ok {
			require.Equal(t, first, command, "--out %s", folder)
		}
		by[folder] = command
	}
}

// Every command that reports results has every format, and --out.
func TestEveryFormatAndOut(t *testing.T) {
	names := []string{"doctor", "diff", "render"}
	for _, kind := range sections.All {
		names = append(names, words.Present(kind.Command)...)
	}
	for _, name := range names {
		command, _, err := Root().Find([]string{name})
		require.NoError(t, err)
		require.Equal(t, name, command.Name(), "no command %s: add its constructor to Root in root.go", name)
		require.NotNil(t, command.Flags().Lookup("out"), name)
		formats := strings.Split(strings.TrimPrefix(command.Flags().Lookup("format").Usage, "output `format`: "), ", ")
		require.Subset(t, formats, []string{"table", "markdown", "csv", "json", "html"}, name)
	}
}

// An empty text is no value, of any flag.
func TestEmptyValuesAreRefused(t *testing.T) {
	for _, c := range Root().Commands() {
		args := []string{c.Name()}
		if c.Args == nil || c.Args(c, []string{"x"}) == nil {
			args = append(args, "x")
		}
		c.Flags().VisitAll(func(flag *pflag.Flag) {
			if flag.Value.Type() != "string" {
				return
			}
			root := Root()
			root.SetArgs(append(args, "--"+flag.Name+"="))
			require.EqualError(t, root.Execute(), "--"+flag.Name+" is empty; give it a value or leave it out", c.Name())
		})
	}
}
