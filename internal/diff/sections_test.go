package diff

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/sections"
)

func TestSectionsThatOneDocumentLacks(t *testing.T) {
	full := document()
	for _, kind := range sections.All {
		full.Put(kind.New())
	}
	require.Len(t, between(document(), document(), usual).Sections, 1, "every document has costs")
	for want, d := range map[string]*Diff{
		section.InOld: between(full, document(), usual), section.InNew: between(document(), full, usual), "": between(full, full, usual),
	} {
		require.Len(t, d.Sections, len(sections.All))
		all, _ := d.Count()
		require.Zero(t, all)
		text, err := d.JSON()
		require.NoError(t, err)
		require.NotContains(t, string(text), "null", "an empty list is one")
		var values map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(text, &values))
		for _, s := range d.Sections {
			if s.Key == "" {
				continue
			}
			var coverage section.Coverage
			require.NoError(t, json.Unmarshal(values[s.Key], &coverage))
			require.Equal(t, want, coverage.OnlyIn, s.Key)
			require.Equal(t, want != "", s.Block.Verdict == coverage.Absent())
		}
	}
}
