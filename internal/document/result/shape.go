package result

import (
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

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

// A shape is what the JSON of a type must be, with the bounds of its values.
type shape struct {
	want    string       // the kind of its value, as errors name it
	element *shape       // that of the elements of a slice
	once    *member      // the key that no two elements of the slice have the same of; nil for none
	object  *object      // that of a struct; nil for a time
	of      reflect.Type // without a pointer
	checks  bool         // whether it is [checked]
	choices []string     // the values of an enumeration
	named   bool         // whether it is a text that is not empty
	limits  [2]float64   // the bounds of a number
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
	section  int // the section of a document that has the field: its number from 1; 0 for the value itself
	field    int // index of the field, or all
	required bool
	shape    *shape
}

// all is the field of a member that is a whole section.
const all = -1

// A checked type has fields that may contradict each other.
type checked interface{ Check(c *Checker) }

// shapeOf returns the shape of a field, by its type and its tags:
//   - is: the bounds of a number (see limits); "named" for a text that is not empty; or the values of an enumeration:
//     "never|always". That of a list is that of its elements.
//   - once: the key that no two elements of a list have the same of
func shapeOf(t reflect.Type, tag reflect.StructTag) *shape {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	is := tag.Get("is")
	made := &shape{want: typeWords[t.Kind()], of: t, named: is == "named", limits: limits[is]}
	if strings.Contains(is, "|") {
		made.choices = strings.Split(is, "|")
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		made.want = aString
	case t.Kind() == reflect.Struct:
		made.object = objectOf(t)
		made.checks = reflect.PointerTo(t).Implements(reflect.TypeFor[checked]())
	case t.Kind() == reflect.Slice:
		made.element = shapeOf(t.Elem(), tag)
		if key := tag.Get("once"); key != "" {
			o := made.element.object
			made.once = &o.members[o.index[key]]
		}
	}
	return made
}

// objects are the shapes of structs, by type.
var objects sync.Map

func objectOf(t reflect.Type) *object {
	if o, ok := objects.Load(t); ok {
		return o.(*object)
	}
	o := newObject()
	for i := range t.NumField() {
		field := t.Field(i)
		if name := key(field); name != "-" {
			always := !strings.HasSuffix(field.Tag.Get("json"), ",omitempty")
			o.add(member{key: name, field: i, required: always, shape: shapeOf(field.Type, field.Tag)})
		}
	}
	objects.Store(t, o)
	return o
}

func newObject() *object { return &object{index: map[string]int{}, folded: map[string]int{}} }

func (o *object) add(m member) {
	o.index[m.key], o.folded[strings.ToLower(m.key)] = len(o.members), len(o.members)
	o.members = append(o.members, m)
}

func key(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}
