// Package measured runs timebench, and returns the result document that it prints.
package measured

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/test/need"
)

// Document returns the document of a command of timebench, such as compare.
func Document(t testing.TB, timebench string, args ...string) *result.Document {
	t.Helper()
	return Read(t, need.Output(t, exec.Command(timebench, append(args, "--format", "json")...)))
}

// Warned returns the kinds of the warnings of a document.
func Warned(d *result.Document) (kinds []string) {
	for _, w := range d.Warnings {
		kinds = append(kinds, w.Kind)
	}
	return kinds
}

// Read decodes a document.
func Read(t testing.TB, text []byte) *result.Document {
	t.Helper()
	document, err := sections.Read(bytes.NewReader(text))
	require.NoError(t, err, string(text))
	return document
}
