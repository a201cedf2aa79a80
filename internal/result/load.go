package result

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// fileName is the name of the document in the folder of --out.
const fileName = "results.json"

// maxSize is the maximum size of a document in bytes. 100 clocks, 1,000 rounds and 20
// passes of 1,024 numbers of threads take about 100 MiB.
const maxSize = 128 << 20

// byteOrderMark starts the text files of many Windows programs.
var byteOrderMark = []byte("\ufeff")

// The byte order marks of UTF-16.
var utf16Little, utf16Big = []byte{0xff, 0xfe}, []byte{0xfe, 0xff}

var errTooLarge = fmt.Errorf("is larger than %d MiB, which no document is", maxSize>>20)

// Load reads the document in the named file, in any of the forms that [Read] knows, or in
// results.json of the named folder. The error for an incomplete or impossible document names
// the file and the place. Keys that neither the document nor a kind has are of a newer
// timebench, and ignored.
func Load(name string, kinds ...Kind) (*Document, error) {
	info, err := os.Stat(name)
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("%s: %w", name, path.Err)
	}
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		folder := name
		name = filepath.Join(folder, fileName)
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: has no %s; name the folder of a run, or a file", folder, fileName)
		}
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	document, err := Read(file, kinds...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return document, nil
}

// Read reads one document, which must be all of r: JSON, an HTML report with the document in
// it (see [Document.WriteScript]), or a zip file of the folder of --out. It recognises the form
// by the content. The kinds are as for [Load].
func Read(r io.Reader, kinds ...Kind) (*Document, error) {
	buffered := bufio.NewReader(r)
	// What cannot be a document is not read to its end: it may be endless.
	const most = 512
	head, err := buffered.Peek(most)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(head, utf16Little) || bytes.HasPrefix(head, utf16Big) {
		// Windows PowerShell redirects with UTF-16.
		buffered = bufio.NewReader(transform.NewReader(buffered, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()))
		if head, err = buffered.Peek(most); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	open, err := opener(head)
	if err != nil {
		return nil, err
	}
	data, err := readAll(buffered)
	if err != nil {
		return nil, err
	}
	return open(data, kinds)
}

// opener returns the function that reads data that begins with head.
func opener(head []byte) (func([]byte, []Kind) (*Document, error), error) {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n")
	switch {
	case len(head) == 0:
		return nil, errors.New("is empty")
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return openZip, nil
	case bytes.HasPrefix(text, []byte("<")):
		return openHTML, nil
	case bytes.HasPrefix(text, []byte("{")):
		return openJSON, nil
	default:
		return nil, fmt.Errorf("begins with %q: not a timebench document, nor a report in HTML or a zip file with one", head[:min(len(head), 12)])
	}
}

func readAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err == nil && len(data) > maxSize {
		err = errTooLarge
	}
	return data, err
}

func openJSON(data []byte, kinds []Kind) (*Document, error) {
	return decode(data, len(data)-len(bytes.TrimPrefix(data, byteOrderMark)), kinds)
}

func openHTML(data []byte, kinds []Kind) (*Document, error) {
	switch documents := bytes.Count(data, []byte(scriptStart)); documents {
	case 0:
		return nil, errors.New("is HTML without a timebench document in it")
	case 1:
	default:
		return nil, fmt.Errorf("is HTML with %d timebench documents in it; there must be one", documents)
	}
	from := bytes.Index(data, []byte(scriptStart)) + len(scriptStart)
	length := bytes.Index(data[from:], []byte(scriptEnd))
	if length < 0 {
		return nil, fmt.Errorf("%s: the document that begins here is not ended by %s", place(data, from), scriptEnd)
	}
	return decode(data[:from+length], from, kinds)
}

func openZip(data []byte, kinds []Kind) (*Document, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("is no whole zip file: %w", err)
	}
	var found []*zip.File
	for _, entry := range archive.File {
		// Some Windows programs separate folders with \.
		if entry.Name[strings.LastIndexAny(entry.Name, `/\`)+1:] == fileName {
			found = append(found, entry)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("is a zip file without a %s", fileName)
	case 1:
	default:
		return nil, fmt.Errorf("is a zip file with %d of %s in it; there must be one", len(found), fileName)
	}
	document, err := openEntry(found[0], kinds)
	if err != nil {
		return nil, fmt.Errorf("%.64q in it: %w", found[0].Name, err)
	}
	return document, nil
}

func openEntry(entry *zip.File, kinds []Kind) (*Document, error) {
	const encrypted = 1
	switch {
	case entry.Flags&encrypted != 0:
		return nil, errors.New("is encrypted")
	case entry.UncompressedSize64 > maxSize: // a wrong size is limited below
		return nil, errTooLarge
	}
	r, err := entry.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	data, err := readAll(r)
	if err != nil {
		return nil, err
	}
	return openJSON(data, kinds)
}
