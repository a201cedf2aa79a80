package result

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// A Section is what one measurement leaves in a document, such as `timebench skew`. It is
// a pointer to a struct that encoding/json writes and reads.
type Section interface {
	// Key returns the key under which the section stands in a document.
	Key() string
	// Check tells c which of the section's values cannot be; at is where it stands.
	Check(c *Checker, at string)
}

// A Kind is one kind of section: what is needed to read it from a document.
type Kind struct {
	// Key is that of its sections.
	Key string
	// About is the description of the key in the JSON Schema.
	About string
	// New returns an empty section.
	New func() Section
	// Choices are the values of those texts that are one of a few, by type and key:
	// "VerifiedClock.verdict".
	Choices map[string][]string
}

// Of returns the section of type S that the document holds; nil where it holds none.
func Of[S Section](d *Document) (section S) {
	for _, s := range d.Sections {
		if own, ok := s.(S); ok {
			return own
		}
	}
	return section
}

// Section returns the section with that key; nil where the document has none.
func (d *Document) Section(key string) Section {
	if i := d.place(key); i >= 0 {
		return d.Sections[i]
	}
	return nil
}

// Put adds a section, in place of one with the same key.
func (d *Document) Put(s Section) {
	if i := d.place(s.Key()); i >= 0 {
		d.Sections[i] = s
		return
	}
	d.Sections = append(d.Sections, s)
}

// place returns the index of the section with that key; -1 where the document has none.
func (d *Document) place(key string) int {
	return slices.IndexFunc(d.Sections, func(s Section) bool { return s.Key() == key })
}

// kindOf returns the kind of a key as encoding/json would match it, in any case of
// letters; nil where there is none.
func kindOf(kinds []Kind, name string) *Kind {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return strings.EqualFold(k.Key, name) })
	if i < 0 {
		return nil
	}
	return &kinds[i]
}

// readSections adds to the document the sections that the text holds, which has the shape
// of a document.
func (d *Document) readSections(text []byte, kinds []Kind) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	for _, kind := range kinds {
		value, ok := values[kind.Key]
		if !ok {
			continue
		}
		section := kind.New()
		if err := json.Unmarshal(value, section); err != nil {
			return err
		}
		d.Put(section)
	}
	return nil
}

// A Keyed is a value that stands under a key of its own.
type Keyed struct {
	Key   string
	Value any
}

// Encode returns a struct as JSON on one line, with more keys behind its own. What HTML gives
// a meaning to is escaped where escape says so.
func Encode(value any, more []Keyed, escape bool) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(escape)
	err := encoder.Encode(value)
	for _, m := range more {
		out.Truncate(max(0, out.Len()-len("}\n")))
		out.WriteString(",")
		err = cmp.Or(err, encoder.Encode(m.Key))
		out.Truncate(max(0, out.Len()-len("\n")))
		out.WriteString(":")
		err = cmp.Or(err, encoder.Encode(m.Value))
		out.Truncate(max(0, out.Len()-len("\n")))
		out.WriteString("}\n")
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// text is the document as JSON on one line: its own keys, then those of its sections.
func (d *Document) text(escape bool) ([]byte, error) {
	whole := withLists(d)
	more := make([]Keyed, len(whole.Sections))
	for i, section := range whole.Sections {
		more[i] = Keyed{section.Key(), section}
	}
	return Encode(whole, more, escape)
}
