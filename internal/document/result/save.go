package result

import (
	"bytes"
	"encoding/json"
	"io"
)

// The element of an HTML page that contains a document. In it, <, > and & are
// written as \u003c, \u003e and \u0026, so that nothing in the document closes it.
const (
	scriptStart = `<script type="application/json" id="timebench-document">`
	scriptEnd   = `</script>`
)

// Write writes the document as indented JSON. It returns an error for a document that Read would refuse.
func (d *Document) Write(w io.Writer) error {
	text, err := d.encoded(false)
	if err != nil {
		return err
	}
	return WriteIndented(w, text)
}

// WriteIndented writes JSON with indentation.
func WriteIndented(w io.Writer, text []byte) error {
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "  "); err != nil {
		return err
	}
	indented.WriteByte('\n')
	_, err := w.Write(indented.Bytes())
	return err
}

// WriteScript writes the document as the element of an HTML page that Read can read. It returns the errors of Write.
func (d *Document) WriteScript(w io.Writer) error {
	text, err := d.encoded(true)
	if err == nil {
		_, err = io.WriteString(w, scriptStart+string(text)+scriptEnd)
	}
	return err
}

func (d *Document) encoded(escape bool) ([]byte, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	return Encode(escape, d.parts()...)
}
