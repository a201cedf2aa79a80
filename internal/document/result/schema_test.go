package result_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/measurement/skew"
	documents "github.com/timebench/timebench/test/made"
	"github.com/timebench/timebench/test/schema"
)

var update = flag.Bool("update", false, "write docs/timebench-1.schema.json anew")

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

func number(value float64) json.Number {
	if math.IsInf(value, 0) {
		return ""
	}
	return json.Number(strconv.FormatFloat(value, 'g', -1, 64))
}

// generated is the JSON Schema of the types of the document.
func generated(t *testing.T) *jsonschema.Schema {
	r := jsonschema.Reflector{Anonymous: true, AllowAdditionalProperties: true}
	require.NoError(t, r.AddGoComments("github.com/timebench/timebench/internal/document/result", "./", jsonschema.WithFullComment()))
	s := r.Reflect(&result.Document{})
	here, err := os.Getwd()
	require.NoError(t, err)
	defer t.Chdir(here)
	properties := s.Definitions["Document"].Properties
	for _, kind := range sections.All {
		of := reflect.TypeOf(kind.New()).Elem()
		// From within its folder: the library makes no package of a path with other separators.
		t.Chdir(filepath.Join(here, "..", "..", "..", strings.TrimPrefix(of.PkgPath(), "github.com/timebench/timebench/")))
		require.NoError(t, r.AddGoComments(of.PkgPath(), "./", jsonschema.WithFullComment()))
		reflected := r.ReflectFromType(of)
		for name, definition := range reflected.Definitions {
			if before, seen := s.Definitions[name]; seen {
				require.Equal(t, before, definition, "two types are named %s: the schema needs another name for the type in %s", name, of.PkgPath())
			}
			s.Definitions[name] = definition
		}
		if kind.Key() == "" {
			inline := s.Definitions[of.Name()]
			delete(s.Definitions, of.Name())
			for pair := inline.Properties.Oldest(); pair != nil; pair = pair.Next() {
				properties.Set(pair.Key, pair.Value)
			}
			s.Definitions["Document"].Required = append(s.Definitions["Document"].Required, inline.Required...)
			continue
		}
		properties.Set(kind.Key(), &jsonschema.Schema{Ref: reflected.Ref, Description: s.Definitions[of.Name()].Description})
	}
	s.Title = "The result document of timebench, " + result.Schema
	s.Description = "Keys are only ever added within " + result.Schema + "; ignore those that you do not know."
	for name, definition := range s.Definitions {
		fields := fieldsOf(reflect.TypeFor[result.Document](), name)
		definition.Description = prose(definition.Description, fields)
		for pair := definition.Properties.Oldest(); pair != nil; pair = pair.Next() {
			property := pair.Value
			property.Description = prose(property.Description, fields)
			require.NotEmpty(t, property.Description, "%s.%s has no comment", name, pair.Key)
			for _, field := range fields {
				if keyOf(field) != pair.Key {
					continue
				}
				bound(t, property, field.Tag.Get("is"))
				if property.Items != nil {
					bound(t, property.Items, field.Tag.Get("is"))
				}
			}
		}
	}
	name, _ := s.Definitions["Document"].Properties.Get("schema")
	name.Const = result.Schema
	confident := jsonschema.NewProperties()
	confident.Set("confidence", &jsonschema.Schema{ExclusiveMinimum: "0"})
	s.Definitions["Latency"].If = &jsonschema.Schema{Properties: confident, Required: []string{"confidence"}}
	s.Definitions["Latency"].Then = &jsonschema.Schema{Required: []string{"low_ns", "high_ns"}}
	return s
}

// keyOf returns the key of a field in JSON.
func keyOf(field reflect.StructField) string {
	key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return key
}

// bound gives a number, a text or an enumeration the bounds of the tag "is" of its field.
func bound(t *testing.T, s *jsonschema.Schema, is string) {
	switch {
	case s.Type == "integer" || s.Type == "number":
		limits, ok := result.Limits[is]
		require.True(t, ok, is)
		s.Minimum, s.Maximum = number(limits[0]), number(limits[1])
	case strings.Contains(is, "|"):
		for _, choice := range strings.Split(is, "|") {
			s.Enum = append(s.Enum, choice)
		}
	case is == "named":
		one := uint64(1)
		s.MinLength = &one
	}
}

// fieldsOf returns the fields of the named type, which is t or within it or a section.
func fieldsOf(t reflect.Type, name string) []reflect.StructField {
	switch t.Kind() {
	case reflect.Interface:
		for _, kind := range sections.All {
			if found := fieldsOf(reflect.TypeOf(kind.New()), name); found != nil {
				return found
			}
		}
	case reflect.Pointer, reflect.Slice:
		return fieldsOf(t.Elem(), name)
	case reflect.Struct:
		fields := reflect.VisibleFields(t)
		if t.Name() == name {
			for _, kind := range sections.All {
				if name == "Document" && kind.Key() == "" {
					fields = append(fields, reflect.VisibleFields(reflect.TypeOf(kind.New()).Elem())...)
				}
			}
			return fields
		}
		for _, field := range fields {
			if found := fieldsOf(field.Type, name); found != nil {
				return found
			}
		}
	}
	return nil
}

// prose joins the lines of a Go comment and names keys as in JSON. A one-word field is replaced only at the
// beginning, as it may be a usual word: Go, Windows.
func prose(comment string, fields []reflect.StructField) string {
	comment = strings.ReplaceAll(comment, "\n", " ")
	for _, field := range fields {
		pattern := `\b` + field.Name + `\b`
		if !strings.Contains(keyOf(field), "_") {
			pattern = "^" + pattern
		}
		comment = regexp.MustCompile(pattern).ReplaceAllString(comment, keyOf(field))
	}
	return comment
}

// wrongFor returns values that both the loader and the schema must refuse in place of this one.
func wrongFor(value any) []any {
	switch value.(type) {
	case float64:
		return []any{nil, "1"}
	case string:
		return []any{nil, 1}
	case bool:
		return []any{nil, "true"}
	case map[string]any:
		return []any{nil, []any{}}
	default:
		return []any{nil, map[string]any{}}
	}
}

// otherFor returns values of the same type that both may refuse or accept.
func otherFor(value any) []any {
	switch value.(type) {
	case float64:
		return []any{-2e18, -1.0, 0.0, 1.5, 2e18}
	case string:
		return []any{"", "timebench/2"}
	}
	return nil
}

// A spoiler puts values into a document, and compares the verdicts of the loader and the schema.
type spoiler struct {
	t     *testing.T
	whole map[string]any
	seen  map[string]bool // objects, by their name and keys: one of each type is enough
}

// refused returns why the loader refuses the document, and requires that the schema does the same, unless the loader
// alone may refuse it.
func (s *spoiler) refused(loaderAlone bool, what string) error {
	text, err := json.Marshal(s.whole)
	require.NoError(s.t, err)
	_, fromRead := sections.Read(bytes.NewReader(text))
	if fromRead != nil {
		require.NotContains(s.t, fromRead.Error(), "\n")
	}
	fromSchema := schema.Validate(text)
	if (fromRead == nil) != (fromSchema == nil) && (!loaderAlone || fromRead == nil) {
		s.t.Fatalf("%s: loader: %v; schema: %v; -update writes the schema anew, and a Check accepts absent optional keys", what,
			fromRead, fromSchema)
	}
	return fromRead
}

// value spoils a value, which set replaces, and all within it.
func (s *spoiler) value(path, key string, value any, set func(any)) {
	defer set(value)
	for _, wrong := range wrongFor(value) {
		set(wrong)
		require.ErrorContains(s.t, s.refused(false, path), key, "%s as %v", path, wrong)
	}
	// Only the loader knows the form of a label, and numbers that contradict each other or are too large to be drawn.
	_, loaderAlone := value.(float64)
	loaderAlone = loaderAlone || path == "labels[]"
	refused := false
	for _, other := range otherFor(value) {
		set(other)
		refused = s.refused(loaderAlone, fmt.Sprintf("%s as %v", path, other)) != nil || refused
	}
	set(value)
	switch value := value.(type) {
	case float64:
		require.True(s.t, refused, "%s has no bound", path)
	case []any:
		for i := range value {
			_, object := value[i].(map[string]any)
			if i == 0 || object { // one rule is for all numbers or texts of a list
				s.value(path+"[]", key, value[i], func(v any) { value[i] = v })
			}
		}
	case map[string]any:
		s.object(path, key, value)
	}
}

func (s *spoiler) object(path, key string, object map[string]any) {
	keys := slices.Sorted(maps.Keys(object))
	kind := key + fmt.Sprint(keys)
	if s.seen[kind] {
		return
	}
	s.seen[kind] = true
	object["added later"] = []any{nil}
	require.NoError(s.t, s.refused(false, path+" with a new key"))
	delete(object, "added later")
	for _, name := range keys {
		kept := object[name]
		delete(object, name)
		_ = s.refused(false, path+" without "+name)
		object[name] = kept
		s.value(strings.TrimPrefix(path+"."+name, "."), name, kept, func(v any) { object[name] = v })
	}
}

// The loader and the schema refuse the same documents: both are made of the same types and tags.
func TestSchemaRefusesWhatReadRefuses(t *testing.T) {
	decoded := func(d *result.Document) (object map[string]any) {
		require.NoError(t, json.Unmarshal(written(t, d), &object))
		return object
	}
	// Each key of the whole document is spoilt in a small document, which is read and checked quickly.
	small := &result.Document{Schema: result.Schema, GeneratedAt: time.Unix(0, 0).UTC(), Sections: []result.Section{&compare.Costs{}}}
	s := spoiler{t: t, seen: map[string]bool{}}
	for name, value := range decoded(documents.Full()) {
		s.whole = decoded(small)
		s.whole[name] = value
		require.NoError(t, s.refused(false, "with "+name))
		s.value(name, name, value, func(v any) { s.whole[name] = v })
		delete(s.whole, name)
		_ = s.refused(false, "without "+name)
	}
}

func TestDocumentsFitTheSchema(t *testing.T) {
	contract, err := os.ReadFile("testdata/contract.json")
	require.NoError(t, err)
	schema.Check(t, contract)
	document, err := sections.Read(bytes.NewReader(contract)) // it is that of the design, word for word
	require.NoError(t, err)
	require.Equal(t, 20.2, compare.Of(document).Clocks[0].Latency.MedianNS)
	bare := documents.Full()
	bare.Settings.Threads, bare.Host.ClockSource.Available, bare.Findings[0].Evidence = nil, nil, nil
	experiment := &compare.Into(bare).OtherClockSources[0]
	for _, clock := range []*compare.Clock{&compare.Into(bare).Clocks[0], &experiment.Clocks[0]} {
		clock.Latency.SamplesNS, clock.Latency.QuietSamplesNS, clock.Throughput[0].SamplesReadsPerSecond = nil, nil, nil
		clock.Latency.Runs, clock.Throughput[0].Runs = nil, nil
		clock.Distribution.Buckets, clock.Distribution.Reads, clock.Distribution.TenfoldReads = nil, 0, 0
		schema.Check(t, written(t, bare))
		require.Nil(t, clock.Latency.SamplesNS, "Write changed the document")
	}
	require.Nil(t, bare.Findings[0].Evidence, "Write changed the document")
	compare.Into(bare).Clocks, experiment.Clocks = nil, nil
	schema.Check(t, written(t, bare))
	require.Nil(t, experiment.Clocks, "Write changed the document")
}

func TestRoundTrip(t *testing.T) {
	documents := []*result.Document{example(), documents.Full()}
	for _, bound := range []float64{-1e18, -1e-12, 1e-12, 1e18} {
		d := refusable()
		d.Host.TimeSync.OffsetNS, d.Host.TimeSync.FrequencyPPM = int64(bound), bound
		documents = append(documents, d)
	}
	for _, d := range documents {
		text := string(written(t, d))
		schema.Check(t, []byte(text))
		for name, form := range map[string]string{
			"JSON":                      text,
			"JSON as PowerShell writes": "\ufeff\r\n" + strings.ReplaceAll(text, "\n", "\r\n"),
			"JSON in UTF-16":            utf16In(binary.LittleEndian, text),
			"JSON in UTF-16, swapped":   utf16In(binary.BigEndian, text),
			"HTML":                      page(t, d),
			"the script alone":          script(t, d),
			"zip":                       zipped(t, "results.json", text),
			"zip of a folder":           zipped(t, "report/", "", "report/report.md", "#", "report/results.json", text),
			"zip of Windows":            zipped(t, `report\charts\latency.png`, "", `report\results.json`, text),
		} {
			loaded, err := sections.Read(strings.NewReader(form))
			require.NoError(t, err, name)
			require.Equal(t, d, loaded, name)
		}
	}
}

func FuzzRead(f *testing.F) {
	contract, err := os.ReadFile("testdata/contract.json")
	require.NoError(f, err)
	f.Add(written(f, documents.Full()))
	f.Add(contract)
	f.Add([]byte(`{"schema":"timebench/1"}`))
	f.Add([]byte(page(f, documents.Full())))
	f.Add([]byte(script(f, example())))
	f.Add([]byte(zipped(f, "report/results.json", string(contract))))
	f.Fuzz(func(t *testing.T, data []byte) {
		document, err := sections.Read(bytes.NewReader(data))
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		if json.Unmarshal(data, new(map[string]any)) == nil { // a key of a newer timebench may hold any number
			schema.Check(t, data)
		}
		once := written(t, document)
		schema.Check(t, once)
		for _, form := range []string{string(once), script(t, document)} {
			again, err := sections.Read(strings.NewReader(form))
			require.NoError(t, err)
			require.Equal(t, string(once), string(written(t, again)))
		}
	})
}

// Sections are read as strictly as the document. An unknown section is of a newer timebench.
func TestSectionsAreReadStrictly(t *testing.T) {
	text := string(written(t, documents.Full()))
	for from, test := range map[string]struct{ to, want string }{
		`"drift": {`:             {`"skew": {`, "skew appears twice"},
		`"text": "text"`:         {`"text": "` + strings.Repeat("x", 1<<17) + `"`, `verification.clocks[0] ("text").faults[0].text is a text of 131072 bytes`},
		`"verdict": "monotonic"`: {`"verdict": ""`, `verification.clocks[0].verdict is ""`},
	} {
		require.Contains(t, text, from)
		_, err := sections.Read(strings.NewReader(strings.Replace(text, from, test.to, 1)))
		require.ErrorContains(t, err, test.want)
		require.NotContains(t, err.Error(), "\n")
	}
	without, err := result.Loader{}.Read(strings.NewReader(text))
	require.NoError(t, err)
	require.Empty(t, without.Sections)
	d := documents.Full()
	d.Put(&skew.Skew{CPUs: []int{7}})
	require.Len(t, d.Sections, len(sections.All))
	require.Equal(t, []int{7}, skew.Of(d).CPUs)
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
