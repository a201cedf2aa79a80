package result

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/timebench/timebench/test/schema"
)

var update = flag.Bool("update", false, "write docs/timebench-1.schema.json anew")

// The bounds of numbers, where they are other than from 0 up: those of check.go.
var bounds = map[string]struct{ least, most json.Number }{
	"Conditions.steal_share":  {"0", "1"},
	"Conditions.wall_step_ns": {},
	"TimeSync.offset_ns":      {number(-most), number(most)},
	"TimeSync.frequency_ppm":  {number(-most), number(most)},
	"Settings.threads":        {"1", ""},
	"Latency.confidence":      {"0", "1"},
	"DriftRate.confidence":    {"0", "1"},
	"Throughput.threads":      {"1", ""},
	"Throughput.fairness":     {"0", "1"},
	"Bucket.reads":            {"1", ""},
	"ClockFault.count":        {"1", ""},
	"Bracket.offset_ns":       {number(-most), number(most)},
	"Relation.change_ns":      {number(-most), number(most)},
	"Relation.ppm":            {number(-most), number(most)},
	"CPUPair.offset_ns":       {number(-most), number(most)},
	"DriftRate.ppm":           {number(-most), number(most)},
	"DriftPoint.offset_ns":    {number(-most), number(most)},
}

func number(value float64) json.Number {
	return json.Number(strconv.FormatFloat(value, 'g', -1, 64))
}

// generated is the JSON Schema of the types of the document.
func generated(t *testing.T) *jsonschema.Schema {
	r := jsonschema.Reflector{Anonymous: true, AllowAdditionalProperties: true}
	require.NoError(t, r.AddGoComments("github.com/timebench/timebench/internal/result", "./", jsonschema.WithFullComment()))
	s := r.Reflect(&Document{})
	s.Title = "The result document of timebench, " + Schema
	s.Description = "Keys are only ever added within " + Schema + "; ignore those that you do not know."
	for name, definition := range s.Definitions {
		fields := fieldsOf(reflect.TypeFor[Document](), name)
		definition.Description = prose(definition.Description, fields)
		definition.Required = slices.DeleteFunc(definition.Required, func(key string) bool {
			return slices.Contains(notRequired, name+"."+key)
		})
		for pair := definition.Properties.Oldest(); pair != nil; pair = pair.Next() {
			property := pair.Value
			property.Description = prose(property.Description, fields)
			require.NotEmpty(t, property.Description, "%s.%s has no comment", name, pair.Key)
			bound(property, name+"."+pair.Key)
			for _, choice := range choices[name+"."+pair.Key] {
				property.Enum = append(property.Enum, choice)
			}
			if property.Items != nil {
				bound(property.Items, name+"."+pair.Key)
			}
		}
	}
	name, _ := s.Definitions["Document"].Properties.Get("schema")
	name.Const = Schema
	one := uint64(1)
	for name, key := range map[string]string{
		"Clock": "id", "VerifiedClock": "id", "SkewedClock": "id", "DriftedClock": "id", "Experiment": "clocksource", "Drift": "reference",
	} {
		named, _ := s.Definitions[name].Properties.Get(key)
		named.MinLength = &one
	}
	confident := jsonschema.NewProperties()
	confident.Set("confidence", &jsonschema.Schema{ExclusiveMinimum: "0"})
	s.Definitions["Latency"].If = &jsonschema.Schema{Properties: confident, Required: []string{"confidence"}}
	s.Definitions["Latency"].Then = &jsonschema.Schema{Required: []string{"low_ns", "high_ns"}}
	return s
}

func bound(s *jsonschema.Schema, path string) {
	if s.Type != "integer" && s.Type != "number" {
		return
	}
	bound, ok := bounds[path]
	if !ok {
		bound.least = "0"
	}
	s.Minimum, s.Maximum = bound.least, bound.most
}

// fieldsOf returns the fields of the named type, which is t or within it.
func fieldsOf(t reflect.Type, name string) []reflect.StructField {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return fieldsOf(t.Elem(), name)
	case reflect.Struct:
		fields := reflect.VisibleFields(t)
		if t.Name() == name {
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

// prose makes one line of a comment of Go and names keys as JSON does.
func prose(comment string, fields []reflect.StructField) string {
	comment = strings.ReplaceAll(comment, "\n", " ")
	for _, field := range fields {
		comment = regexp.MustCompile(`\b`+field.Name+`\b`).ReplaceAllString(comment, key(field))
	}
	return comment
}

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
	require.Equal(t, want.String(), string(got), "go test ./internal/result -run Schema -update writes it anew")
}

// The faults of value, wherever it stands: each must be refused by both the
// loader and the schema.
func faults(key string, value any) []any {
	switch value.(type) {
	case float64:
		wrong := []any{nil, "1", []any{1}}
		switch key {
		case "wall_step_ns":
		case "offset_ns", "frequency_ppm", "change_ns", "ppm":
			wrong = append(wrong, -2*most, 2*most)
		case "steal_share", "confidence", "fairness":
			wrong = append(wrong, -1, 1.5)
		default:
			wrong = append(wrong, -1)
		}
		return wrong
	case string:
		wrong := []any{nil, 1, []any{"1"}}
		switch key {
		case "schema", "generated_at", "severity", "kernel_entry", "verdict":
			wrong = append(wrong, "", "timebench/2")
		case "id", "clocksource", "reference":
			wrong = append(wrong, "")
		}
		return wrong
	case bool:
		return []any{nil, "true", 1}
	case map[string]any:
		return []any{nil, []any{}, "{}"}
	default:
		return []any{nil, map[string]any{}, 1}
	}
}

// The loader and the schema are made of the same types and of two lists of
// bounds; what they refuse must not differ.
func TestSchemaRefusesWhatReadRefuses(t *testing.T) {
	var whole map[string]any
	require.NoError(t, json.Unmarshal(written(t, full()), &whole))
	verdicts := func(path string) (fromRead, fromSchema error) {
		text, err := json.Marshal(whole)
		require.NoError(t, err)
		_, fromRead = Read(bytes.NewReader(text))
		if fromRead != nil {
			require.NotContains(t, fromRead.Error(), "\n", path)
		}
		return fromRead, schema.Validate(text)
	}
	var spoil func(path, key string, value any, set func(any))
	spoil = func(path, key string, value any, set func(any)) {
		for _, wrong := range faults(key, value) {
			set(wrong)
			fromRead, fromSchema := verdicts(path)
			require.Error(t, fromRead, "%s as %v", path, wrong)
			require.ErrorContains(t, fromRead, key)
			require.Error(t, fromSchema, "%s as %v", path, wrong)
		}
		set(value)
		switch value := value.(type) {
		case float64:
			for _, other := range []float64{0, 0.5, value + 1} {
				set(other)
				if fromRead, fromSchema := verdicts(path); fromRead == nil || fromSchema != nil {
					require.Equal(t, fromSchema == nil, fromRead == nil, "%s as %v: %v; %v", path, other, fromRead, fromSchema)
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
	schema.Check(t, written(t, example()))
	schema.Check(t, written(t, full()))

	bare := full()
	bare.Settings.Threads, bare.Host.ClockSource.Available, bare.Findings[0].Evidence = nil, nil, nil
	experiment := &bare.OtherClockSources[0]
	for _, clock := range []*Clock{&bare.Clocks[0], &experiment.Clocks[0]} {
		clock.Latency.SamplesNS, clock.Latency.QuietSamplesNS, clock.Throughput[0].SamplesReadsPerSecond = nil, nil, nil
		clock.Distribution.Buckets, clock.Distribution.Reads, clock.Distribution.TenfoldReads = nil, 0, 0
		schema.Check(t, written(t, bare))
		require.Nil(t, clock.Latency.SamplesNS, "Write changed the document")
	}
	require.Nil(t, bare.Findings[0].Evidence, "Write changed the document")
	bare.Clocks, experiment.Clocks = nil, nil
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
	_, err := Read(strings.NewReader(text))
	require.NoError(t, err)
	schema.Check(t, []byte(text))
}

func TestFullDocumentHasEveryKey(t *testing.T) {
	var look func(path string, v reflect.Value)
	look = func(path string, v reflect.Value) {
		require.False(t, v.IsZero(), "%s is zero: give it a value in full", path)
		switch v.Kind() {
		case reflect.Pointer:
			look(path, v.Elem())
		case reflect.Slice:
			require.Positive(t, v.Len(), path)
			for i := range v.Len() {
				look(path+"[]", v.Index(i))
			}
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[time.Time]() {
				return
			}
			for i := range v.NumField() {
				look(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		}
	}
	look("Document", reflect.ValueOf(*full()))
}

// keys adds every key under the definition at path, with whether it is required. A
// definition that is in several places counts at the first.
func keys(s *jsonschema.Schema, definition *jsonschema.Schema, path string, found map[string]bool, counted map[string]bool) {
	for pair := definition.Properties.Oldest(); pair != nil; pair = pair.Next() {
		property, at := pair.Value, strings.TrimPrefix(path+"."+pair.Key, ".")
		found[at] = slices.Contains(definition.Required, pair.Key)
		if property.Items != nil {
			property, at = property.Items, at+"[]"
		}
		if name, ok := strings.CutPrefix(property.Ref, "#/$defs/"); ok && !counted[name] {
			counted[name] = true
			keys(s, s.Definitions[name], at, found, counted)
		}
	}
}

// docs/result.md has a section for each object and in it a row for each key,
// which says when the key is absent exactly where it may be.
func TestDocsExplainEveryKeyOfTheSchema(t *testing.T) {
	text, err := os.ReadFile("../../docs/result.md")
	require.NoError(t, err)
	heading := regexp.MustCompile("^## (?:`(.*)`)?")
	row := regexp.MustCompile(`^\| ` + "`(.*?)`" + ` \| .*\| (.*)\|$`)
	explained, path := map[string]bool{}, ""
	for line := range strings.Lines(string(text)) {
		if found := heading.FindStringSubmatch(line); found != nil {
			path = found[1]
		}
		if found := row.FindStringSubmatch(strings.TrimSpace(line)); found != nil {
			explained[strings.TrimPrefix(path+"."+found[1], ".")] = found[2] == ""
		}
	}
	want := map[string]bool{}
	s := generated(t)
	keys(s, s.Definitions["Document"], "", want, map[string]bool{})
	require.Equal(t, want, explained)
}

func TestDocsExampleIsADocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/result.md")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), "```json\n")
	fragment, _, _ := strings.Cut(rest, "```")
	_, err = Read(strings.NewReader(fragment))
	require.NoError(t, err)
	schema.Check(t, []byte(fragment))
}
