package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Loader loads documents with sections of some kinds. Other keys that the document does not have
// are of a newer timebench, and ignored.
type Loader struct {
	kinds []Kind
	shape *shape
}

// NewLoader returns the loader for sections of these kinds.
func NewLoader(kinds ...Kind) *Loader {
	whole := newObject()
	for _, m := range objectOf(reflect.TypeFor[Document]()).members {
		whole.add(m)
	}
	for i, kind := range kinds {
		s := shapeOf(reflect.TypeOf(kind.New()), "")
		if kind.Key != "" {
			whole.add(member{key: kind.Key, section: i + 1, field: all, shape: s})
			continue
		}
		for _, m := range s.object.members {
			m.section = i + 1
			whole.add(m)
		}
	}
	return &Loader{kinds, &shape{want: anObject, object: whole, of: reflect.TypeFor[Document]()}}
}

// open decodes text[from:], which is one document. The place of an error is that in the whole
// text.
func (l *Loader) open(text []byte, from int) (*Document, error) {
	data := text[from:]
	document, err := l.decode(data)
	if err != nil || document.Schema != Schema {
		return nil, explained(data, err, func(offset int64) string { return place(text, from+int(offset)) })
	}
	if err := document.check(); err != nil {
		return nil, err
	}
	return document, nil
}

// explained returns the error of text that was not decoded, or has another schema. place returns the
// place of a byte.
func explained(text []byte, err error, place func(offset int64) string) error {
	// A document of a newer schema may be other in all else.
	if err := schemaIn(text); err != nil {
		return err
	}
	if fault, ok := errors.AsType[*fault](err); ok {
		return fmt.Errorf("%s: %w", place(fault.offset), fault)
	}
	// The syntax errors of encoding/json are shorter.
	if syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(text, new(struct{}))); ok {
		return fmt.Errorf("%s: %w", place(max(syntax.Offset-1, 0)), syntax) // it counts the bytes read
	}
	return err
}

// schemaIn returns what is wrong with the schema of a document. It quotes nothing else: a link may
// lead to a file that the reader of the error may not read.
func schemaIn(text []byte) error {
	d := newDecoder(text)
	if d.PeekKind() != '{' {
		return notOurs("is not a JSON object, as a document is")
	}
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() == '"' {
		var name, value jsontext.Value
		if name, err = d.ReadValue(); err != nil {
			break
		}
		isSchema := strings.EqualFold(unquoted(name), "schema")
		if value, err = d.ReadValue(); err == nil && isSchema {
			return checkSchema(value)
		}
	}
	return notOurs("has no schema: not a timebench document")
}

func checkSchema(value jsontext.Value) error {
	if value.Kind() != '"' {
		return fmt.Errorf("schema is not text; this timebench reads %q", Schema)
	}
	switch schema := unquoted(value); {
	case schema == Schema:
		return nil
	case strings.HasPrefix(schema, "timebench"):
		return fmt.Errorf("schema is %.64q; this timebench reads %q", schema, Schema)
	default:
		return fmt.Errorf("schema is not of timebench; this timebench reads %q", Schema)
	}
}

// place returns the line and the column of a byte. Columns count bytes.
func place(text []byte, offset int) string {
	before := text[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := offset - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("line %d, column %d", line, column)
}
