package result

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A shape checks what the decoder does not. The decoder refuses numbers out of range and
// times that are not as RFC 3339 writes them. But it takes a missing key for a zero, null for
// anything and the last of two keys that are alike, and skips "Clocks".
type shape struct {
	choices     map[string][]string // also those of the kinds
	notRequired []string
}

// A fault is what is wrong with a value.
type fault struct {
	offset int64            // of the value in the text
	at     jsontext.Pointer // to the value
	what   string
}

var (
	plain = regexp.MustCompile(`^[\w/]{0,200}$`)
	index = regexp.MustCompile(`/(\d+)\b`)
)

// Error begins with the path of the value: clocks[0].id. A path through keys that are not
// plain, which no timebench writes, is a quoted JSON Pointer.
func (f *fault) Error() string {
	path := fmt.Sprintf("%.200q", f.at)
	if plain.MatchString(string(f.at)) {
		path = index.ReplaceAllString(string(f.at), "[$1]")
		path = strings.TrimPrefix(strings.ReplaceAll(path, "/", "."), ".")
	}
	return path + " " + f.what
}

// choices are the values of the texts that are one of a few, by type and key. The
// checks after decoding see these too, but cannot tell "" from an absent key.
var choices = map[string][]string{
	"Finding.severity": Severities,
}

// The kinds of values of JSON, and those of the types of a document, as errors name them.
var (
	words = map[jsontext.Kind]string{
		'n': "null", 't': "true or false", 'f': "true or false", '"': "a string", '0': "a number", '{': "an object", '[': "an array",
	}
	typeWords = map[reflect.Kind]string{
		reflect.Bool: "true or false", reflect.String: "a string", reflect.Struct: "an object", reflect.Slice: "an array",
		reflect.Int: "a number", reflect.Int64: "a number", reflect.Float64: "a number",
	}
)

// shaped decodes text, a JSON object, into a document with its sections. It returns the
// first fault if text does not have the shape of a document.
func shaped(text []byte, kinds []Kind) (*Document, *fault) {
	s := shape{choices: maps.Clone(choices)}
	var sections []Section
	for _, kind := range kinds {
		maps.Copy(s.choices, kind.Choices)
		s.notRequired = append(s.notRequired, kind.NotRequired...)
		sections = append(sections, kind.New())
	}
	form := formOf(reflect.TypeFor[Document](), keyed(sections))
	document := reflect.New(form.t)
	options := json.JoinOptions(
		json.WithUnmarshalers(json.UnmarshalFromFunc(s.value)),
		jsontext.AllowInvalidUTF8(true),    // as encoding/json
		jsontext.AllowDuplicateNames(true), // else it keeps all keys of an object in memory
	)
	err := json.Unmarshal(text, document.Interface(), options)
	if fault, ok := errors.AsType[*fault](err); ok {
		return nil, fault
	}
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		return nil, &fault{semantic.ByteOffset, semantic.JSONPointer, wrong(semantic)}
	}
	if err != nil { // of the syntax, which decode has checked
		return nil, &fault{what: err.Error()}
	}
	return form.document(document.Elem(), sections), nil
}

// wrong returns what is wrong with a value that the decoder or the shape refused.
func wrong(err *json.SemanticError) string {
	parse, isTime := errors.AsType[*time.ParseError](err.Err)
	switch {
	case isTime:
		return fmt.Sprintf("is %.40q, not a time as RFC 3339 writes it", parse.Value)
	case err.JSONValue == nil:
		return err.Err.Error() // of the shape
	case err.GoType.Kind() == reflect.Float64:
		return fmt.Sprintf("is %.40s, which a float of 64 bits cannot hold", err.JSONValue)
	default:
		return fmt.Sprintf("is %.40s, not a whole number of %d bits", err.JSONValue, err.GoType.Bits())
	}
}

// value returns an error if the next value is of another kind than what v points to. It
// decodes an object into v, and leaves other values to the decoder.
func (s *shape) value(d *jsontext.Decoder, v any) error {
	to := reflect.ValueOf(v).Elem()
	t := to.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	want := typeWords[t.Kind()]
	if t == reflect.TypeFor[time.Time]() {
		want = words['"']
	}
	next := d.PeekKind()
	if words[next] != want {
		return fmt.Errorf("is %s, not %s", words[next], want)
	}
	if next == '{' && to.Kind() == reflect.Struct {
		return s.object(d, to)
	}
	return json.SkipFunc
}

// object decodes the next value, an object, into a struct.
func (s *shape) object(d *jsontext.Decoder, to reflect.Value) error {
	_, _ = d.ReadToken() // {
	start, at := d.InputOffset()-1, d.StackPointer()
	t, seen := to.Type(), map[string]bool{}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		switch spelt, into := member(to, name); {
		case into == nil:
			err = skip(d)
		case spelt != name:
			err = fmt.Errorf("is spelt %q", spelt)
		case seen[name]:
			err = errors.New("stands twice")
		default:
			seen[name] = true
			err = json.UnmarshalDecode(d, into)
			text, _ := into.(*string)
			if choices := s.choices[t.Name()+"."+name]; err == nil && choices != nil && !slices.Contains(choices, *text) {
				err = &json.SemanticError{JSONPointer: d.StackPointer(), Err: errors.New(noneOf(*text, choices))}
			}
		}
		if err != nil {
			return err
		}
	}
	for i := range t.NumField() {
		if field := t.Field(i); s.required(t, field) && !seen[key(field)] {
			return &fault{start, at.AppendToken(key(field)), "is missing"}
		}
	}
	_, _ = d.ReadToken() // }
	return nil
}

// member returns how the key is spelt, and a pointer to what its value is decoded into, which
// is nil for a key of a newer timebench.
func member(of reflect.Value, name string) (spelt string, into any) {
	for i := range of.NumField() {
		if spelt = key(of.Type().Field(i)); spelt != "-" && strings.EqualFold(spelt, name) {
			return spelt, of.Field(i).Addr().Interface()
		}
	}
	return "", nil
}

// skip takes the next value, whatever it is and however deep. Only its numbers are checked.
func skip(d *jsontext.Decoder) error {
	var number float64
	for depth := d.StackDepth(); ; {
		var err error
		if d.PeekKind() == '0' {
			err = json.UnmarshalDecode(d, &number)
		} else {
			_, err = d.ReadToken()
		}
		if err != nil || d.StackDepth() == depth {
			return err
		}
	}
}

// key is the name of a field in JSON.
func key(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// required says that every document has the key.
func (s *shape) required(t reflect.Type, field reflect.StructField) bool {
	return key(field) != "-" && !strings.HasSuffix(field.Tag.Get("json"), ",omitempty") && !slices.Contains(s.notRequired, t.Name()+"."+key(field))
}
