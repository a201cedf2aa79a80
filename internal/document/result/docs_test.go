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

// docs/result.md describes each object and its keys, as the schema does.
func TestPageIsThatOfTheSchema(t *testing.T) {
	text, err := os.ReadFile(docs)
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(text), made)
	require.True(t, found, made)
	w := writer{schema: generated(t), places: map[string]string{}, keys: map[string]bool{}, absent: map[string]bool{}}
	w.name("Document", "")
	w.object("Document")
	if *update {
		require.NoError(t, os.WriteFile(docs, []byte(head+made+w.page.String()), 0o644))
		rest = w.page.String()
	}
	require.Equal(t, w.page.String(), rest, "go test ./internal/document/result -run Schema -update writes it anew")
}

// A writer writes the definitions of a schema as Markdown, each where it occurs first.
type writer struct {
	page   strings.Builder
	schema *jsonschema.Schema
	places map[string]string // of the definitions
	keys   map[string]bool   // with their meanings, that are on the page
	absent map[string]bool   // definitions that a document may lack
}

// name gives a definition a place, and then the definitions within it that lack a place.
func (w *writer) name(definition, at string) {
	w.places[definition] = at
	for pair := w.schema.Definitions[definition].Properties.Oldest(); pair != nil; pair = pair.Next() {
		if of, list := referred(pair.Value); of != "" && w.places[of] == "" {
			w.name(of, strings.TrimPrefix(at+"."+pair.Key+list, "."))
		}
	}
}

// referred returns the definition that a property has as its value or, if list is [], as its elements; empty for none.
func referred(property *jsonschema.Schema) (name, list string) {
	if property.Items != nil {
		property, list = property.Items, "[]"
	}
	return strings.TrimPrefix(property.Ref, "#/$defs/"), list
}

// beginning is how the comments of types and fields begin, which the page need not repeat.
var beginning = regexp.MustCompile("^(An? )?[A-Za-z0-9_]+ (is|are|has) (the number of |the |whether )?")

// notInAnchor is what an anchor of GitHub leaves out of its heading.
var notInAnchor = regexp.MustCompile("[^a-z0-9_ -]")

func (w *writer) object(name string) {
	definition, at := w.schema.Definitions[name], w.places[name]
	heading := "The document"
	if at != "" {
		heading = "`" + at + "`"
	}
	if w.absent[name] {
		heading += "?"
	}
	fmt.Fprintf(&w.page, "\n## %s\n\n%s\n\n", heading, upper(beginning.ReplaceAllString(definition.Description, "")))
	var again, below []string
	for pair := definition.Properties.Oldest(); pair != nil; pair = pair.Next() {
		of, list := referred(pair.Value)
		if of != "" && w.places[of] == strings.TrimPrefix(at+"."+pair.Key+list, ".") {
			w.absent[of] = !slices.Contains(definition.Required, pair.Key)
			below = append(below, of)
			continue
		}
		key := "`" + pair.Key + list + "`"
		if of != "" {
			key = fmt.Sprintf("[%s](#%s)", key, strings.ReplaceAll(notInAnchor.ReplaceAllString(w.places[of], ""), " ", "-"))
		}
		if !slices.Contains(definition.Required, pair.Key) {
			key += "?"
		}
		about := typeOf(pair.Key, pair.Value) + ": " + beginning.ReplaceAllString(pair.Value.Description, "") + "\n"
		switch earlier, next := strings.CutSuffix(w.page.String(), about); {
		case w.keys[pair.Key+about]:
			again = append(again, key)
		case next: // the low and the high end of one interval
			w.page.Reset()
			fmt.Fprintf(&w.page, "%s, %s%s", earlier, key, about)
		default:
			fmt.Fprintf(&w.page, "- %s%s", key, about)
		}
		w.keys[pair.Key+about] = true
	}
	if len(again) > 0 {
		fmt.Fprintf(&w.page, "- as above: %s\n", strings.Join(again, ", "))
	}
	for _, of := range below {
		w.object(of)
	}
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// withUnit matches the name of a key with a unit, whose value is a number.
var withUnit = regexp.MustCompile("(^|_)(ns|hz|ppm|cpus|share|per_second|per_read)(_|$)")

// typeOf returns the type of a property, unless it is a text or a count or the key has a unit, and the bounds of a
// number.
func typeOf(key string, property *jsonschema.Schema) string {
	if property.Items != nil {
		property = property.Items
	}
	switch property.Type {
	case "string":
		if len(property.Enum) == 0 {
			return ""
		}
		var choices []string
		for _, choice := range property.Enum {
			choices = append(choices, fmt.Sprint(choice))
		}
		return " `" + strings.Join(choices, "|") + "`"
	case "integer", "number":
		text := ""
		if property.Type == "number" && !withUnit.MatchString(key) {
			text = " number"
		}
		switch {
		case property.Maximum == "1":
			text += " 0…1"
		case property.Minimum != "0" && property.Minimum != "1":
			text += " ±"
		}
		return text
	case "boolean":
		return " boolean"
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
