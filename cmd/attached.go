package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/timebench/timebench/internal/diagnose/attachment"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/system/folder"
	"github.com/timebench/timebench/internal/system/procfile"
	"github.com/timebench/timebench/internal/system/terminal"
)

func loadResult(name string) (*result.Document, error) {
	if name == "" {
		return nil, errors.New("the name of a result is empty; name a folder or a file")
	}
	if name == "-" {
		document, err := sections.Read(os.Stdin)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return document, nil
	}
	return sections.Load(name)
}

// loadAttached loads what people attach to a bug report: a result, a kernel log, or the files of a machine. The name -
// is standard input.
func loadAttached(name string) (*result.Document, error) {
	if name == "-" {
		return readAttached("standard input", os.Stdin)
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return loadResult(name) // its errors have the name
	case info.IsDir():
		return loadFolder(name)
	}
	open := procfile.Open
	if !info.Mode().IsRegular() {
		open = os.Open // a pipe, such as the shell's <(...)
	}
	file, err := open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, folder.SystemError(err))
	}
	defer func() { _ = file.Close() }()
	return readAttached(name, file)
}

// loadFolder returns the result in a folder, or else a document made from the files of a machine in it.
func loadFolder(name string) (*result.Document, error) {
	document, err := loadResult(name)
	if err == nil || !errors.Is(err, result.ErrNotOurs) {
		return document, err
	}
	attached, unread := attachment.ReadFolder(name)
	switch {
	case errors.Is(unread, attachment.ErrUnknown):
		return nil, err // of a folder, people expect a result
	case unread != nil:
		return nil, fmt.Errorf("%s: %w", name, unread)
	}
	attached.Tool = tool()
	return attached, nil
}

// reported matches the beginning of a report of a document or of doctor in Markdown, as text or as CSV.
var reported = regexp.MustCompile(`^(## timebench |Reading the clock |severity,kind,title)`)

// readAttached reads a file once and from its beginning: it may be a pipe.
func readAttached(name string, file *os.File) (*result.Document, error) {
	if info, err := file.Stat(); err == nil && !terminal.Is(file) {
		if err := result.CheckEnds(info); err != nil {
			return nil, fmt.Errorf("%s: %w, such as the output of dmesg", name, err)
		}
	}
	buffered := bufio.NewReaderSize(file, attachment.HeadSize)
	head, err := buffered.Peek(attachment.HeadSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, folder.SystemError(err))
	}
	var document *result.Document
	if reported.Match(head) {
		return nil, fmt.Errorf("%s: is a report that timebench wrote for people; name results.json, report.html "+
			"or the folder", name)
	}
	if attachment.IsDocument(head) {
		document, err = sections.Read(buffered)
	} else if document, err = attachment.Read(name, buffered); err == nil {
		document.Tool = tool()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return document, nil
}
