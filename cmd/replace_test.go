package cmd

import (
	"archive/zip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/test/need"
)

// The examples can be run one after another: no command writes into a folder with the results of
// another one.
func TestExamplesHaveFoldersOfTheirOwn(t *testing.T) {
	var text strings.Builder
	var gather func(*cobra.Command)
	gather = func(command *cobra.Command) {
		text.WriteString(command.Example + "\n")
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
		names = append(names, kind.Command)
	}
	for _, name := range names {
		command, _, err := Root().Find([]string{name})
		require.NoError(t, err)
		require.Equal(t, name, command.Name())
		require.NotNil(t, command.Flags().Lookup("out"), name)
		formats := strings.Split(strings.TrimPrefix(command.Flags().Lookup("format").Usage, "output format: "), ", ")
		require.Subset(t, formats, []string{"table", "markdown", "csv", "json", "html"}, name)
	}
}

func TestMeasuredBy(t *testing.T) {
	rounds := result.Settings{Rounds: 77, TimeNS: 1e8}
	doctor, comparison := result.Tool{Command: "doctor"}, result.Tool{Command: "compare"}
	clocks := []compare.Clock{{ID: "time.Now@go"}}
	measured := []compare.Clock{{ID: "time.Now@go", Available: true, Latency: &compare.Latency{MedianNS: 50}}}
	verified, skewed := &verify.Verification{}, &skew.Skew{}
	for _, test := range []struct {
		document result.Document
		want     []string
	}{
		{result.Document{Settings: rounds, Sections: []result.Section{&compare.Costs{Clocks: clocks}}}, []string{"compare"}},
		{result.Document{Tool: comparison, Settings: rounds, Sections: []result.Section{&compare.Costs{Clocks: clocks}}}, []string{"compare"}},
		{result.Document{Tool: doctor, Settings: rounds, Sections: []result.Section{&compare.Costs{Clocks: clocks}}, Interrupted: true}, []string{"doctor"}},
		{result.Document{Tool: doctor, Settings: rounds, Sections: []result.Section{&compare.Costs{Clocks: measured}, skewed}}, []string{"doctor", "skew"}},
		{result.Document{Settings: rounds, Sections: []result.Section{verified}}, []string{"doctor"}},
		{result.Document{Sections: []result.Section{verified}}, []string{"verify"}},
		{result.Document{Sections: []result.Section{verified, skewed}}, []string{"verify", "skew"}},
		{result.Document{Settings: rounds, Sections: []result.Section{&compare.Costs{Clocks: measured}, skewed}}, []string{"compare", "skew"}},
		{result.Document{Settings: rounds, Sections: []result.Section{verified, skewed}}, []string{"doctor", "skew"}},
	} {
		require.Equal(t, test.want, measuredBy(&test.document))
	}
}

// A zip with a huge directory, which would fill the memory, is no comparison. Neither is a huge zip.
func TestHugeZipIsNotReplaced(t *testing.T) {
	out := filepath.Join(need.Folder(t), "diff.zip")
	zipped := func(others int) {
		file, err := os.Create(out)
		require.NoError(t, err)
		archive := zip.NewWriter(file)
		entry, err := archive.Create("diff/diff.json")
		require.NoError(t, err)
		_, err = entry.Write([]byte(`{"schema": "timebench-diff/1"}`))
		require.NoError(t, err)
		for range others {
			_, err := archive.Create("x")
			require.NoError(t, err)
		}
		require.NoError(t, archive.Close())
		require.NoError(t, file.Close())
	}
	refused := out + " is not a diff of timebench and would be overwritten; name another one"
	zipped(10)
	require.NoError(t, newTarget(out, diffSet).open())
	zipped(30_000)
	require.ErrorContains(t, newTarget(out, diffSet).open(), refused)
	zipped(10)
	archive, err := os.ReadFile(out)
	require.NoError(t, err)
	const size = result.MaxSize + 1
	require.NoError(t, os.Truncate(out, size))
	file, err := os.OpenFile(out, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteAt(archive, size-int64(len(archive)))
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.ErrorContains(t, newTarget(out, diffSet).open(), refused)
}
