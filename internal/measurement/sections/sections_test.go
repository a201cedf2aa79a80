package sections_test

import (
	"os"
	"reflect"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// A section that a format cannot show would be in the document, but in no report.
func TestEverySectionCanBeShownAndCompared(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range sections.All {
		t.Run(kind.Key(), func(t *testing.T) {
			s := kind.New()
			require.Implements(t, (*section.Section)(nil), s)
			require.Equal(t, kind.Key(), s.Key())
			require.Equal(t, reflect.Pointer, reflect.TypeOf(s).Kind())
			require.False(t, seen[kind.Key()])
			seen[kind.Key()] = true

			d := &result.Document{Sections: []result.Section{s}}
			require.Len(t, section.In(d), 1)
			require.Equal(t, words.Present(kind.Command), sections.Commands(d))
			require.NotEmpty(t, section.In(d)[0].Lines(d))

			other := &result.Document{Sections: []result.Section{kind.New()}}
			same, ok := kind.Compare(d, other, section.Settings{})
			require.True(t, ok)
			_, changed := same.Value.Count()
			require.Zero(t, changed)
			require.NotEmpty(t, same.Value.CSV(kind.Key()))
			if kind.Key() == "" {
				return
			}
			none := new(result.Document)
			require.Contains(t, shown(t, kind, d, none), "Only the old document has this.")
			require.Contains(t, shown(t, kind, none, other), "Only the new document has this.")
			_, ok = kind.Compare(none, none, section.Settings{})
			require.False(t, ok)
		})
	}
}

func shown(t *testing.T, kind section.Kind, old, new *result.Document) string {
	t.Helper()
	c, ok := kind.Compare(old, new, section.Settings{})
	require.True(t, ok)
	return c.Block.Text(table.Width, true)
}

// Join of any section returns a single run as it is, and changes no run.
func TestJoinOfEverySection(t *testing.T) {
	for _, kind := range sections.All {
		with, without := &result.Document{Sections: []result.Section{kind.New()}}, new(result.Document)
		require.Same(t, with, sections.Join([]*result.Document{with}))
		for _, runs := range [][]*result.Document{{with, with}, {without, with}} {
			joined := sections.Join(runs)
			require.NotNil(t, joined.Section(kind.Key()), kind.Key())
			require.Equal(t, 2, joined.Settings.Repeat)
		}
		require.Zero(t, with.Settings.Repeat)
		require.Empty(t, without.Sections)
	}
}

func TestJoinedDocument(t *testing.T) {
	load, speed := result.Warning{Kind: "load", Saw: "first"}, result.Warning{Kind: "speed"}
	joined := sections.Join([]*result.Document{
		{Warnings: []result.Warning{load}},
		{Warnings: []result.Warning{speed, {Kind: "load", Saw: "second"}}, Interrupted: true,
			Settings: result.Settings{Repeat: 4}},
	})
	require.Equal(t, []result.Warning{load, speed}, joined.Warnings)
	require.True(t, joined.Interrupted)
	require.Equal(t, 5, joined.Settings.Repeat)
}

// docs/commands.md lists the command of each measurement, with a link to its page.
func TestTheDocumentHasEveryCommand(t *testing.T) {
	page, err := os.ReadFile("../../../docs/commands.md")
	require.NoError(t, err)
	for _, kind := range sections.All {
		if kind.Command != "" && !regexp.MustCompile("(?m)^- \\[`timebench "+kind.Command+"[ `].*\\]\\([a-z-]+\\.md").Match(page) {
			t.Errorf("add `timebench %s` to docs/commands.md, with a link to its page", kind.Command)
		}
	}
}
