package result_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/test/schema"
)

const (
	docs = "../../../docs/result.md"
	// made starts the part of the page that is made from the schema.
	made = "<!-- Made from the comments of the types by: go test ./internal/document/result -run Schema -update -->\n"
)

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
	require.Equal(t, want.String(), string(got), "go test ./internal/document/result -run Schema -update writes it anew")
}

// docs/result.md describes each object and lists its keys, as the schema does.
func TestPageIsThatOfTheSchema(t *testing.T) {
	text, err := os.ReadFile(docs)
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(text), made)
	require.True(t, found, made)
	w := writer{schema: generated(t), places: map[string]string{}}
	w.name("Document", "")
	w.page.WriteString("\n")
	w.object("Document", "")
	if *update {
		require.NoError(t, os.WriteFile(docs, []byte(head+made+w.page.String()), 0o644))
		rest = w.page.String()
	}
	require.Equal(t, w.page.String(), rest, "go test ./internal/document/result -run Schema -update writes it anew")
}

// A writer writes the definitions of a schema as a nested list of Markdown, each where it occurs first.
type writer struct {
	page   strings.Builder
	schema *jsonschema.Schema
	places map[string]string // of the definitions
}

// name gives a definition a place, and then the definitions within it that lack a place.
func (w *writer) name(definition, at string) {
	w.places[definition] = at
	for pair := w.schema.Definitions[definition].Properties.Oldest(); pair != nil; pair = pair.Next() {
		if of, list := referred(pair.Value); of != "" && w.places[of] == "" {
			w.name(of, below(at, pair.Key+list))
		}
	}
}

// below returns the place of a key in the object at a place.
func below(at, key string) string { return strings.TrimPrefix(at+"."+key, ".") }

// referred returns the definition that a property has as its value or, if list is [], as its elements; empty for none.
func referred(property *jsonschema.Schema) (name, list string) {
	if property.Items != nil {
		property, list = property.Items, "[]"
	}
	return strings.TrimPrefix(property.Ref, "#/$defs/"), list
}

// beginning is how the comments of types begin, which the page need not repeat.
var beginning = regexp.MustCompile("^(An? )?[A-Za-z0-9_]+ (is|are|has) (the number of |the )?")

// object writes a definition: its description, its keys, and below them the objects in it. The mark is ? if a document
// may lack it.
func (w *writer) object(name, mark string) {
	definition, at := w.schema.Definitions[name], w.places[name]
	var keys []string
	var in [][2]string // definitions with their marks
	for pair := definition.Properties.Oldest(); pair != nil; pair = pair.Next() {
		absent := "?"
		if slices.Contains(definition.Required, pair.Key) {
			absent = ""
		}
		of, list := referred(pair.Value)
		if of != "" && w.places[of] == below(at, pair.Key+list) {
			in = append(in, [2]string{of, absent})
			continue
		}
		key := "`" + pair.Key + list + "`" + absent + typeOf(pair.Value)
		if of != "" {
			key += " (as `" + w.places[of] + "`)"
		}
		keys = append(keys, key)
	}
	heading := "the document"
	if at != "" {
		heading = "`" + at + "`"
	}
	about := beginning.ReplaceAllString(strings.TrimSuffix(definition.Description, "."), "")
	fmt.Fprintf(&w.page, "%s- **%s**%s: %s", strings.Repeat("  ", strings.Count(at, ".")), heading, mark, about)
	if len(keys) > 0 {
		fmt.Fprintf(&w.page, ": %s", strings.Join(keys, ", "))
	}
	w.page.WriteString("\n")
	for _, of := range in {
		w.object(of[0], of[1])
	}
}

// typeOf returns the choices of a text, and the bounds of a number that may be negative or is a share.
func typeOf(property *jsonschema.Schema) string {
	if property.Items != nil {
		property = property.Items
	}
	switch {
	case len(property.Enum) > 0:
		var choices []string
		for _, choice := range property.Enum {
			choices = append(choices, fmt.Sprint(choice))
		}
		return " (" + strings.Join(choices, ", ") + ")"
	case property.Type != "integer" && property.Type != "number":
		return ""
	case property.Maximum == "1":
		return " 0…1"
	case property.Minimum != "0" && property.Minimum != "1":
		return " ±"
	}
	return ""
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
