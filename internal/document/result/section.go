package result

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	v1 "github.com/go-json-experiment/json/v1"
)

// A Section is the result of a measurement, such as `timebench skew`. It is a pointer to a struct that encoding/json
// writes and reads, with tags as [field] has them.
type Section interface {
	// Key returns the key of all sections of this type in a document; the receiver may be nil. If it is empty, every
	// document has the section, with its keys at the top.
	Key() string
}

// Of returns the section of type S of a document; nil without one.
func Of[S Section](d *Document) (section S) {
	for _, s := range d.Sections {
		if own, ok := s.(S); ok {
			return own
		}
	}
	return section
}

// Section returns the section with that key; nil without one.
func (d *Document) Section(key string) Section {
	if i := d.place(key); i >= 0 {
		return d.Sections[i]
	}
	return nil
}

// Put adds a section, or replaces the one with the same key.
func (d *Document) Put(s Section) {
	if i := d.place(s.Key()); i >= 0 {
		d.Sections = slices.Clone(d.Sections) // a copy of the document may share them
		d.Sections[i] = s
		return
	}
	d.Sections = append(slices.Clip(d.Sections), s)
}

func (d *Document) place(key string) int {
	return slices.IndexFunc(d.Sections, func(s Section) bool { return s.Key() == key })
}

// Encode returns the parts of an object as JSON on one line, nil lists as empty ones. escape is whether characters with
// a meaning in HTML are escaped.
func Encode(escape bool, parts ...Keyed) ([]byte, error) {
	return json.Marshal(together(parts...).Addr().Interface(),
		jsontext.EscapeForHTML(escape), jsontext.EscapeForJS(true), jsontext.AllowInvalidUTF8(true), v1.OmitEmptyWithLegacySemantics(true))
}

func (d *Document) parts() []Keyed {
	parts := []Keyed{{"", d}}
	for _, section := range d.Sections {
		parts = append(parts, Keyed{section.Key(), section})
	}
	return parts
}
