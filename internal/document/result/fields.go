package result

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// The limits of all figures, because renderers divide and take logarithms.
const (
	least = 1e-9
	most  = 1e18
)

var notNegative = [2]float64{0, math.Inf(1)}

// Limits are the bounds of a number by the tag "is" of its field. Without the tag it is 0, or from least to most.
var Limits = map[string][2]float64{
	"":         notNegative,
	"signed":   {-most, most},
	"positive": {1, math.Inf(1)},
	"share":    {0, 1},
	"any":      {math.Inf(-1), math.Inf(1)},
}

// A field is a key of an object in JSON, with the rules for its value. A rule for a list is for each of its elements.
// The rules are in the tags of the field:
//   - is: the bounds of a number (see [Limits]); "named" for a text that is not empty; or the values of an enumeration:
//     "never|always"
//   - once: the key whose value differs between all elements of a list
type field struct {
	key      string
	index    []int // of the field in the struct
	required bool
	limits   [2]float64
	named    bool
	choices  []string
	once     string
}

// An object has the fields of a struct, with the fields of structs that JSON has inline.
type object struct {
	fields []field
	index  map[string]int // of fields, by key
}

// objects are the objects of structs, by type.
var objects sync.Map

func objectOf(t reflect.Type) *object {
	if o, ok := objects.Load(t); ok {
		return o.(*object)
	}
	o := &object{index: map[string]int{}}
	o.add(t, nil)
	objects.Store(t, o)
	return o
}

func (o *object) add(t reflect.Type, within []int) {
	for i := range t.NumField() {
		of, index := t.Field(i), slices.Concat(within, []int{i})
		name, options, _ := strings.Cut(of.Tag.Get("json"), ",")
		switch {
		case options == inline:
			o.add(of.Type.Elem(), index)
			continue
		case name == "-":
			continue
		}
		is := of.Tag.Get("is")
		f := field{
			key: name, index: index, required: options != "omitempty", limits: Limits[is], named: is == "named",
			once: of.Tag.Get("once"),
		}
		if strings.Contains(is, "|") {
			f.choices = strings.Split(is, "|")
		}
		o.index[f.key] = len(o.fields)
		o.fields = append(o.fields, f)
	}
}

// inline is the option of the tag "json" for a pointer to a struct whose keys are among the keys around it.
const inline = "inline"

// A Keyed is a pointer to a struct, with its key. Without a key, its own keys are among the keys around it.
type Keyed struct {
	Key   string
	Value any
}

// together returns a struct that JSON has as one object with these parts.
func together(parts ...Keyed) reflect.Value {
	fields := make([]reflect.StructField, len(parts))
	for i, part := range parts {
		tag := fmt.Sprintf(`json:"%s,omitempty"`, part.Key)
		if part.Key == "" {
			tag = `json:",` + inline + `"`
		}
		fields[i] = reflect.StructField{Name: fmt.Sprintf("Part%d", i), Type: reflect.TypeOf(part.Value),
			Tag: reflect.StructTag(tag)}
	}
	whole := reflect.New(reflect.StructOf(fields)).Elem()
	for i, part := range parts {
		whole.Field(i).Set(reflect.ValueOf(part.Value))
	}
	return whole
}

// isObject reports whether a type is a struct that JSON has as an object.
func isObject(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]()
}
