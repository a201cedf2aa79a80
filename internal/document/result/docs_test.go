package result_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/test/schema"
)

const docs = "../../../docs/result.md"

// This test is the first: the others check the schema that it writes with -update.
func TestSchemaIsThatOfTheTypes(t *testing.T) {
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	require.NoError(t, encoder.Encode(generated(t)))
	name, err := schema.Path()
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(name, want.Bytes(), 0o644))
	}
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	if want.String() != string(got) { // a thousand lines of both help nobody
		t.Fatal("the schema is old: go test ./internal/document/result -run Schema -update")
	}
}

// docs/result.md names each part of a document.
func TestDocsNameEachPart(t *testing.T) {
	text, err := os.ReadFile(docs)
	require.NoError(t, err)
	for pair := generated(t).Definitions["Document"].Properties.Oldest(); pair != nil; pair = pair.Next() {
		require.Regexp(t, "`"+pair.Key+"(\\[\\])?`", string(text), "add `%s` to docs/result.md", pair.Key)
	}
}

func TestDocsExampleIsADocument(t *testing.T) {
	text, err := os.ReadFile(docs)
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), "```json\n")
	fragment, _, _ := strings.Cut(rest, "```")
	_, err = sections.Read(strings.NewReader(fragment))
	require.NoError(t, err)
	schema.Check(t, []byte(fragment))
}
