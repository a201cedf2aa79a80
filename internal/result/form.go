package result

import (
	"fmt"
	"reflect"
	"slices"
)

// A form is a struct type whose JSON is a document: it has the fields of [Document] and of the
// inline sections, and then one field for each other section. It is built from the sections
// that a document may have, so that the document names none of them.
type form struct {
	sections []Section // one of each kind
	t        reflect.Type
	parts    []part
}

// A part is the origin of a field of a form.
type part struct {
	section int // index of the section, or ofDocument
	field   int // index of its field, or whole
}

const (
	ofDocument = -1
	whole      = -1
)

// formOf returns the form of documents with these sections.
func formOf(sections []Section) form {
	f := form{sections: sections}
	var fields []reflect.StructField
	add := func(field reflect.StructField, p part) {
		field.Offset, field.Index = 0, nil
		fields, f.parts = append(fields, field), append(f.parts, p)
	}
	inline := func(before string) {
		for i, s := range sections {
			if !isInline(s) {
				continue
			}
			for j, field := range reflect.VisibleFields(reflect.TypeOf(s).Elem()) {
				if field.Tag.Get("before") == before {
					add(field, part{i, j})
				}
			}
		}
	}
	for i, field := range reflect.VisibleFields(reflect.TypeFor[Document]()) {
		if name := key(field); name != "-" {
			inline(name)
			add(field, part{ofDocument, i})
		}
	}
	inline("")
	for i, s := range sections {
		if !isInline(s) {
			tag := reflect.StructTag(fmt.Sprintf("json:%q", s.Key()+",omitempty"))
			add(reflect.StructField{Name: fmt.Sprintf("Section%d", i), Type: reflect.TypeOf(s), Tag: tag}, part{i, whole})
		}
	}
	f.t = reflect.StructOf(fields)
	return f
}

// fill returns a value of the form, which encoding/json writes as the document.
func (f form) fill(d *Document) any {
	filled := reflect.New(f.t).Elem()
	for i, p := range f.parts {
		of := reflect.ValueOf(d)
		if p.section != ofDocument {
			of = reflect.ValueOf(d.Sections[p.section])
		}
		if p.field != whole {
			of = of.Elem().Field(p.field)
		}
		filled.Field(i).Set(of)
	}
	return filled.Interface()
}

// document returns the document of a value of the form. It has all inline sections, and those
// of the others that the value has.
func (f form) document(filled reflect.Value) *Document {
	d := new(Document)
	for i, p := range f.parts {
		value := filled.Field(i)
		switch {
		case p.section == ofDocument:
			reflect.ValueOf(d).Elem().Field(p.field).Set(value)
		case p.field != whole:
			reflect.ValueOf(f.sections[p.section]).Elem().Field(p.field).Set(value)
		case !value.IsNil():
			f.sections[p.section] = value.Interface().(Section)
		default:
			f.sections[p.section] = nil
		}
	}
	d.Sections = slices.DeleteFunc(f.sections, func(s Section) bool { return s == nil })
	return d
}
