package result

import (
	"fmt"
	"reflect"
)

// A Keyed is a value with its key. Without a key it is a pointer to a struct, and its own keys are
// among those of what it is part of: a field with the tag "before" comes before that key, the
// others come last.
type Keyed struct {
	Key   string
	Value any
}

// A form is a struct type with the JSON of a value and of its parts: it has the fields of the
// value and of the parts without a key, and then one field for each part with a key. So a
// document has the keys of its sections and names none of them.
type form struct {
	t     reflect.Type
	parts []part
}

// A part is the origin of a field of a form.
type part struct {
	of    int // index of the part, or whole
	field int // index of its field, or all
}

const (
	whole = -1
	all   = -1
)

// formOf returns the form of values of a type, which is a struct, with these parts.
func formOf(base reflect.Type, parts []Keyed) form {
	var f form
	var fields []reflect.StructField
	add := func(field reflect.StructField, p part) {
		field.Offset, field.Index = 0, nil
		fields, f.parts = append(fields, field), append(f.parts, p)
	}
	inline := func(before string) {
		for i, keyed := range parts {
			if keyed.Key != "" {
				continue
			}
			for j, field := range reflect.VisibleFields(reflect.TypeOf(keyed.Value).Elem()) {
				if field.Tag.Get("before") == before {
					add(field, part{i, j})
				}
			}
		}
	}
	for i, field := range reflect.VisibleFields(base) {
		if name := key(field); name != "-" {
			inline(name)
			add(field, part{whole, i})
		}
	}
	inline("")
	for i, keyed := range parts {
		if keyed.Key != "" {
			tag := reflect.StructTag(fmt.Sprintf("json:%q", keyed.Key+",omitempty"))
			add(reflect.StructField{Name: fmt.Sprintf("Part%d", i), Type: reflect.TypeOf(keyed.Value), Tag: tag}, part{i, all})
		}
	}
	f.t = reflect.StructOf(fields)
	return f
}

// fill returns a value of the form, which encoding/json writes as the value with its parts.
func (f form) fill(value any, parts []Keyed) any {
	filled := reflect.New(f.t).Elem()
	for i, p := range f.parts {
		of := reflect.ValueOf(value)
		if p.of != whole {
			of = reflect.ValueOf(parts[p.of].Value)
		}
		if p.field != all {
			of = of.Elem().Field(p.field)
		}
		filled.Field(i).Set(of)
	}
	return filled.Interface()
}

// keyed returns sections with their keys.
func keyed(sections []Section) []Keyed {
	all := make([]Keyed, len(sections))
	for i, section := range sections {
		all[i] = Keyed{section.Key(), section}
		if IsInline(section) {
			all[i].Key = ""
		}
	}
	return all
}
