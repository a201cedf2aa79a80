package result

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// choices are the values of enumerations, by type and key. The checks after decoding see these
// too, but cannot tell "" from an absent key.
var choices = map[string][]string{
	"Finding.severity": Severities,
}

// The kinds of values of JSON, and those of the types of a document, as errors name them.
var (
	words = map[jsontext.Kind]string{
		'n': "null", 't': aBool, 'f': aBool, '"': aString, '0': aNumber, '{': anObject, '[': anArray,
	}
	typeWords = map[reflect.Kind]string{
		reflect.Bool: aBool, reflect.String: aString, reflect.Struct: anObject, reflect.Slice: anArray,
		reflect.Int: aNumber, reflect.Int64: aNumber, reflect.Float64: aNumber,
	}
)

const (
	aBool    = "true or false"
	aString  = "a string"
	aNumber  = "a number"
	anObject = "an object"
	anArray  = "an array"
)

// A shape is what the JSON of a type must be.
type shape struct {
	want    string       // the kind of its value, as errors name it
	element *shape       // that of the elements of a slice
	object  *object      // that of a struct; nil for a time
	of      reflect.Type // without a pointer
	choices []string     // the values of an enumeration
}

// An object is the shape of a struct, or of a document with its sections.
type object struct {
	members []member
	index   map[string]int // of members, by key
	folded  map[string]int // by key in lower case
}

// A member is a key of an object.
type member struct {
	key      string
	part     // the field with its value
	required bool
	shape    *shape
}

// shapes makes the shapes of types, each once.
type shapes struct {
	objects     map[reflect.Type]*object
	choices     map[string][]string // also those of the kinds
	notRequired []string
}

// of returns the shape of a type.
func (s *shapes) of(t reflect.Type, choices []string) *shape {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	made := &shape{want: typeWords[t.Kind()], of: t, choices: choices}
	switch {
	case t == reflect.TypeFor[time.Time]():
		made.want = aString
	case t.Kind() == reflect.Struct:
		made.object = s.object(t)
	case t.Kind() == reflect.Slice:
		made.element = s.of(t.Elem(), nil)
	}
	return made
}

// object returns the shape of a struct.
func (s *shapes) object(t reflect.Type) *object {
	if o := s.objects[t]; o != nil {
		return o
	}
	o := newObject()
	s.objects[t] = o
	for i := range t.NumField() {
		s.add(o, t, t.Field(i), part{whole, i})
	}
	return o
}

func newObject() *object { return &object{index: map[string]int{}, folded: map[string]int{}} }

// add adds the field of a struct type to an object.
func (s *shapes) add(o *object, t reflect.Type, field reflect.StructField, p part) {
	name := key(field)
	if name == "-" {
		return
	}
	id := t.Name() + "." + name
	o.index[name], o.folded[strings.ToLower(name)] = len(o.members), len(o.members)
	o.members = append(o.members, member{
		key: name, part: p, shape: s.of(field.Type, s.choices[id]),
		required: !strings.HasSuffix(field.Tag.Get("json"), ",omitempty") && !slices.Contains(s.notRequired, id),
	})
}

// key is the name of a field in JSON.
func key(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}
