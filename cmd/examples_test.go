package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/show/words"
)

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
		require.Equal(t, name, command.Name())
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
