package result

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
)

// A Section is the result of one measurement, such as `timebench skew`. It is a pointer to a
// struct that encoding/json writes and reads.
type Section interface {
	// Key returns the key of the section in a document.
	Key() string
	// Check reports impossible values of the section to c; at is its path in the document.
	Check(c *Checker, at string)
}

// An Inline section has no key of its own: its keys are at the top of the document. A field
// with the tag "before" comes before that key of the document, the others come after all of
// them. Every document has the keys of an inline section.
type Inline interface {
	Section
	Inline()
}

// IsInline reports whether a section is inline.
func IsInline(s Section) bool {
	_, is := s.(Inline)
	return is
}

// A Kind is a kind of section: what is needed to read it from a document.
type Kind struct {
	// Key is the key of its sections.
	Key string
	// About is the description of the key in the JSON Schema.
	About string
	// New returns an empty section.
	New func() Section
	// NotRequired are keys, by type, that are always written but missing in old documents:
	// "Resolution.ticks".
	NotRequired []string
	// Choices are the values of enumerations, by type and key: "VerifiedClock.verdict".
	Choices map[string][]string
}

// Of returns the section of type S of a document; nil if it has none.
func Of[S Section](d *Document) (section S) {
	for _, s := range d.Sections {
		if own, ok := s.(S); ok {
			return own
		}
	}
	return section
}

// Section returns the section with that key; nil if the document has none.
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

// place returns the index of the section with that key; -1 if the document has none.
func (d *Document) place(key string) int {
	return slices.IndexFunc(d.Sections, func(s Section) bool { return s.Key() == key })
}

// Encode returns a value, which is a pointer to a struct, with its parts as JSON on one line.
// escape is whether characters with a meaning in HTML are escaped.
func Encode(value any, parts []Keyed, escape bool) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(escape)
	err := encoder.Encode(formOf(reflect.TypeOf(value).Elem(), parts).fill(value, parts))
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// text returns the document as JSON on one line.
func (d *Document) text(escape bool) ([]byte, error) {
	complete := withLists(d)
	return Encode(complete, keyed(complete.Sections), escape)
}
