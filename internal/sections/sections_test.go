package sections

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/section"
)

// A section that a format cannot show would be in the document and in no report.
func TestEverySectionCanBeShownAndCompared(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range All {
		t.Run(kind.Key, func(t *testing.T) {
			s := kind.New()
			require.Implements(t, (*section.Section)(nil), s)
			require.Equal(t, kind.Key, s.Key())
			require.Equal(t, reflect.Pointer, reflect.TypeOf(s).Kind())
			require.NotEmpty(t, kind.Command)
			require.False(t, seen[kind.Key])
			seen[kind.Key] = true

			d := &result.Document{Sections: []result.Section{s}}
			require.Len(t, section.In(d), 1)
			require.Equal(t, []string{kind.Command}, Commands(d))
			require.NotEmpty(t, section.In(d)[0].Lines(d))

			if kind.Compare == nil {
				return
			}
			other := kind.New()
			require.NotNil(t, kind.Compare(s, other).Value)
			require.Empty(t, kind.Compare(s, other).Changed())
			require.Contains(t, shown(kind.Compare(s, nil)), "Only the old document has this.")
			require.Contains(t, shown(kind.Compare(nil, other)), "Only the new document has this.")
		})
	}
}

func shown(c section.Comparison) string {
	var out strings.Builder
	c.Block.WriteText(&out)
	return out.String()
}
