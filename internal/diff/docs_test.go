package diff

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/sections"
)

// Whoever reads the JSON finds each of its keys explained.
func TestDocsExplainEveryKey(t *testing.T) {
	page, err := os.ReadFile("../../docs/diff-result.md")
	require.NoError(t, err)
	section := string(page)
	keys := 0
	var explain func(reflect.Type)
	explain = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		own := strings.HasPrefix(of.PkgPath(), "github.com/timebench/timebench/") && of != reflect.TypeFor[result.Document]()
		if of.Kind() != reflect.Struct || !own {
			return
		}
		for i := range of.NumField() {
			field := of.Field(i)
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if key == "-" {
				continue
			}
			if key != "" {
				keys++
				require.Regexp(t, "`"+key+"(\\[\\])?`", section, "%s.%s", of.Name(), field.Name)
			}
			explain(field.Type)
		}
	}
	explain(reflect.TypeFor[Diff]())
	for _, kind := range sections.All {
		keys++
		if kind.Key != "" {
			require.Contains(t, section, "`"+kind.Key+"`")
		}
		d := &result.Document{Sections: []result.Section{kind.New()}}
		changed, ok := kind.Compare(d, d, usual)
		require.True(t, ok)
		explain(reflect.TypeOf(changed.Value))
	}
	require.Greater(t, keys, 40)
}
