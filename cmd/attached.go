package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/timebench/timebench/internal/attachment"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/sections"
)

// loadAttached returns the document of what people attach to a bug report: a result, a kernel log, or the files of a
// machine. The name - is standard input.
func loadAttached(name string) (*result.Document, error) {
	if name == "-" {
		return readAttached("standard input", os.Stdin)
	}
	if info, err := os.Stat(name); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		file, err := os.Open(name) // a pipe, such as the shell's <(...), is read once
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		return readAttached(name, file)
	}
	document, err := loadResult(name)
	if err == nil || !errors.Is(err, result.ErrNotOurs) {
		return document, err
	}
	attached, unknown := attachment.Load(name)
	if info, statErr := os.Stat(name); errors.Is(unknown, attachment.ErrUnknown) && statErr == nil && info.IsDir() {
		return nil, err // of a folder, people expect a result
	}
	return withTool(attached), unknown
}

func readAttached(name string, r io.Reader) (*result.Document, error) {
	content, err := io.ReadAll(io.LimitReader(r, result.MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	document, err := sections.Read(bytes.NewReader(content))
	if errors.Is(err, result.ErrNotOurs) {
		document, err = attachment.Read(name, bytes.NewReader(content))
		document = withTool(document)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return document, nil
}

// withTool puts the version of timebench into a document that it made of other files.
func withTool(document *result.Document) *result.Document {
	if document != nil {
		document.Tool = tool()
	}
	return document
}
