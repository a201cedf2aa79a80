package diff

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/sections"
)

// The documentation explains each key of the JSON.
func TestDocsExplainEveryKey(t *testing.T) {
	page, err := os.ReadFile("../../docs/diff-result.md")
	require.NoError(t, err)
	keys := 0
	document := func(key string) {
		keys++
		if !regexp.MustCompile("`" + key + "(\\[\\])?`").Match(page) {
			t.Errorf("add `%s` to docs/diff-result.md", key)
		}
	}
	var explain func(reflect.Type)
	explain = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		own := strings.HasPrefix(of.PkgPath(), "github.com/timebench/timebench/") &&
			of != reflect.TypeFor[result.Document]()
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
				document(key)
			}
			explain(field.Type)
		}
	}
	explain(reflect.TypeFor[Diff]())
	for _, kind := range sections.All {
		if kind.Key != "" {
			document(kind.Key)
		}
		d := &result.Document{Sections: []result.Section{kind.New()}}
		changed, ok := kind.Compare(d, d, usual)
		require.True(t, ok)
		explain(reflect.TypeOf(changed.Value))
	}
	require.Greater(t, keys, 40)
}
