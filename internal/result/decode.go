package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

// decode decodes text[from:], which is one document. The place of an error is that in the whole
// text.
func decode(text []byte, from int, kinds []Kind) (*Document, error) {
	data := text[from:]
	at := func(offset int64, err error) error {
		return fmt.Errorf("%s: %w", place(text, from+int(offset)), err)
	}
	// Of a thousand documents nearly all are right, and begin with their schema.
	if beginning.Match(data) {
		if document, fault := shaped(data, kinds); fault == nil {
			return document.checked()
		}
	}
	// The schema is checked first, since a newer document may have other keys.
	var head struct {
		Schema json.RawMessage `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, at(max(syntax.Offset-1, 0), err) // it counts the bytes read
		}
		return nil, errors.New("is not a JSON object, as a document is")
	}
	if err := checkSchema(head.Schema); err != nil {
		return nil, err
	}
	document, fault := shaped(data, kinds)
	if fault != nil {
		return nil, at(fault.offset, fault)
	}
	return document.checked()
}

// beginning is that of a document as timebench writes it.
var beginning = regexp.MustCompile(`^\s*\{\s*"schema"\s*:\s*"` + regexp.QuoteMeta(Schema) + `"`)

// checked returns the document, or what is impossible in it.
func (d *Document) checked() (*Document, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	return d, nil
}

func checkSchema(text json.RawMessage) error {
	var schema *string
	switch err := json.Unmarshal(text, &schema); {
	case text == nil:
		return errors.New("has no schema: not a timebench document")
	case err != nil || schema == nil:
		return fmt.Errorf("schema is not text; this timebench reads %q", Schema)
	case *schema != Schema:
		return fmt.Errorf("schema is %.64q; this timebench reads %q", *schema, Schema)
	}
	return nil
}

// place returns the line and the column of a byte. Columns count bytes.
func place(text []byte, offset int) string {
	before := text[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := offset - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("line %d, column %d", line, column)
}
