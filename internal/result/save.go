package result

import (
	"encoding/json"
	"io"
)

// Write writes the document as indented JSON. It refuses a document that Read
// would refuse.
func (d *Document) Write(w io.Writer) error {
	if err := d.check(); err != nil {
		return err
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(d)
}
