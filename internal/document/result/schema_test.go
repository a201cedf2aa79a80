package result_test

import (
	"bytes"
	"encoding/json"
	"flag"
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

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/measurement/skew"
	documents "github.com/timebench/timebench/test/made"
	"github.com/timebench/timebench/test/schema"
)

var update = flag.Bool("update", false, "write docs/timebench-1.schema.json and docs/result.md anew")

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
		maps.Copy(s.Definitions, reflected.Definitions)
		if kind.Key == "" {
			inline := s.Definitions[of.Name()]
			delete(s.Definitions, of.Name())
			for pair := inline.Properties.Oldest(); pair != nil; pair = pair.Next() {
				properties.Set(pair.Key, pair.Value)
			}
			s.Definitions["Document"].Required = append(s.Definitions["Document"].Required, inline.Required...)
			continue
		}
		properties.Set(kind.Key, &jsonschema.Schema{Ref: reflected.Ref, Description: s.Definitions[of.Name()].Description})
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
				if result.KeyOf(field) != pair.Key {
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
				if name == "Document" && kind.Key == "" {
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

// prose makes one line of a comment of Go and names keys as JSON does. A field of one word may be another word
// within the comment: Go, Windows.
func prose(comment string, fields []reflect.StructField) string {
	comment = strings.ReplaceAll(comment, "\n", " ")
	for _, field := range fields {
		pattern := `\b` + field.Name + `\b`
		if !strings.Contains(result.KeyOf(field), "_") {
			pattern = "^" + pattern
		}
		comment = regexp.MustCompile(pattern).ReplaceAllString(comment, result.KeyOf(field))
	}
	return comment
}

// faultsOf returns values that both the loader and the schema must refuse in place of this one.
func faultsOf(value any) []any {
	switch value.(type) {
	case float64:
		return []any{nil, "1", []any{1}}
	case string:
		return []any{nil, 1, []any{"1"}}
	case bool:
		return []any{nil, "true", 1}
	case map[string]any:
		return []any{nil, []any{}, "{}"}
	default:
		return []any{nil, map[string]any{}, 1}
	}
}

// The loader and the schema are made of the same types and tags; what they refuse must not differ.
func TestSchemaRefusesWhatReadRefuses(t *testing.T) {
	var whole map[string]any
	require.NoError(t, json.Unmarshal(written(t, documents.Full()), &whole))
	verdicts := func(path string) (fromRead, fromSchema error) {
		text, err := json.Marshal(whole)
		require.NoError(t, err)
		_, fromRead = sections.Read(bytes.NewReader(text))
		if fromRead != nil {
			require.NotContains(t, fromRead.Error(), "\n", path)
		}
		return fromRead, schema.Validate(text)
	}
	var spoil func(path, key string, value any, set func(any))
	spoil = func(path, key string, value any, set func(any)) {
		for _, wrong := range faultsOf(value) {
			set(wrong)
			fromRead, fromSchema := verdicts(path)
			require.Error(t, fromRead, "%s as %v", path, wrong)
			require.ErrorContains(t, fromRead, key)
			require.Error(t, fromSchema, "%s as %v: the schema lacks the key: run with -update", path, wrong)
		}
		set(value)
		switch value := value.(type) {
		case float64:
			refused := 0
			for _, other := range []float64{-2 * result.Most, -1, 0, 1.5, 2 * result.Most} {
				set(other)
				fromRead, fromSchema := verdicts(path)
				if fromRead == nil || fromSchema != nil { // only the loader refuses what is too large to be drawn
					require.Equal(t, fromSchema == nil, fromRead == nil, "%s as %v: %v; %v", path, other, fromRead, fromSchema)
				}
				if fromRead != nil {
					refused++
				}
			}
			require.NotZero(t, refused, "%s has no bound", path)
			set(value)
		case string:
			for _, other := range []string{"", "timebench/2"} {
				set(other)
				fromRead, fromSchema := verdicts(path)
				if path != "labels[]" { // whose form only the loader knows
					require.Equal(t, fromSchema == nil, fromRead == nil, "%s as %q: %v; %v", path, other, fromRead, fromSchema)
				}
			}
			set(value)
		case []any:
			for i := range value {
				spoil(path+"[]", key, value[i], func(v any) { value[i] = v })
			}
		case map[string]any:
			value["added later"] = []any{nil}
			fromRead, fromSchema := verdicts(path)
			require.NoError(t, fromRead)
			require.NoError(t, fromSchema)
			delete(value, "added later")
			for _, name := range slices.Collect(maps.Keys(value)) {
				kept := value[name]
				delete(value, name)
				fromRead, fromSchema := verdicts(path)
				require.Equal(t, fromSchema == nil, fromRead == nil, "without %s.%s: %v; %v", path, name, fromRead, fromSchema)
				value[name] = kept
				spoil(path+"."+name, name, kept, func(v any) { value[name] = v })
			}
		}
	}
	for _, name := range slices.Collect(maps.Keys(whole)) {
		spoil(name, name, whole[name], func(v any) { whole[name] = v })
		kept := whole[name]
		delete(whole, name)
		fromRead, fromSchema := verdicts(name)
		require.Equal(t, fromSchema == nil, fromRead == nil, "without %s: %v; %v", name, fromRead, fromSchema)
		whole[name] = kept
	}
}

func TestDocumentsFitTheSchema(t *testing.T) {
	contract, err := os.ReadFile("testdata/contract.json")
	require.NoError(t, err)
	schema.Check(t, contract)
	document, err := sections.Read(bytes.NewReader(contract)) // it is that of the design, word for word
	require.NoError(t, err)
	require.Equal(t, 20.2, compare.Of(document).Clocks[0].Latency.MedianNS)
	schema.Check(t, written(t, example()))
	schema.Check(t, written(t, documents.Full()))

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

// A confidence of 0 is as good as none: there is no interval.
func TestSchemaTakesNoIntervalWithoutConfidence(t *testing.T) {
	text := string(written(t, example()))
	for from, to := range map[string]string{`"low_ns": 20.1,`: ``, `"high_ns": 20.3,`: ``, `"confidence": 0.95`: `"confidence": 0`} {
		require.Contains(t, text, from)
		text = strings.Replace(text, from, to, 1)
	}
	_, err := sections.Read(strings.NewReader(text))
	require.NoError(t, err)
	schema.Check(t, []byte(text))
}

func TestRoundTrip(t *testing.T) {
	for _, d := range []*result.Document{example(), documents.Full()} {
		text := string(written(t, d))
		for name, form := range map[string]string{
			"JSON":                      text,
			"JSON as PowerShell writes": "\ufeff\r\n" + strings.ReplaceAll(text, "\n", "\r\n"),
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

// The keys of sections are as strict as those of the document, and one that nobody knows
// is of a newer timebench.
func TestSectionsAreReadStrictly(t *testing.T) {
	text := string(written(t, documents.Full()))
	for from, test := range map[string]struct{ to, want string }{
		`"skew": {`:              {`"Skew": {`, `Skew is spelt "skew"`},
		`"drift": {`:             {`"skew": {`, "skew appears twice"},
		`"text": "text"`:         {`"text": "` + strings.Repeat("x", 1<<17) + `"`, `verification.clocks[0] ("text").faults[0].text is a text of 131072 bytes`},
		`"verdict": "monotonic"`: {`"verdict": ""`, `verification.clocks[0].verdict is ""`},
	} {
		require.Contains(t, text, from)
		_, err := sections.Read(strings.NewReader(strings.Replace(text, from, test.to, 1)))
		require.ErrorContains(t, err, test.want)
		require.NotContains(t, err.Error(), "\n")
	}
	without, err := result.NewLoader().Read(strings.NewReader(text))
	require.NoError(t, err)
	require.Empty(t, without.Sections)
	d := documents.Full()
	d.Put(&skew.Skew{CPUs: []int{7}})
	require.Len(t, d.Sections, len(sections.All))
	require.Equal(t, []int{7}, skew.Of(d).CPUs)
}
