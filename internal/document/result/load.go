package result

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const fileName = "results.json"

// MaxSize is the maximum size of a document in bytes. 100 clocks, 1,000 rounds and 20
// passes of 1,024 numbers of threads take about 100 MiB.
const MaxSize = 128 << 20

// maxDirectory is the maximum size of the directory of an archive in bytes. Each entry takes at least 46, and ten times
// as many in memory.
const maxDirectory = 1 << 20

// ErrTooLarge is the error of [Loader.Load] for a document that is larger than it may be.
var ErrTooLarge = fmt.Errorf("is larger than %d MiB, which no document is", MaxSize>>20)

// ErrNotOurs is the error of [Loader.Load] for a file that may be of another program: it has no sign of a document.
var ErrNotOurs = errors.New("not a timebench document")

// notOurs is an error with a text that is [ErrNotOurs].
type notOurs string

func (e notOurs) Error() string { return string(e) }

func (notOurs) Is(target error) bool { return target == ErrNotOurs }

// Load reads the document in a file, in any of the forms that [Loader.Read] knows, or in results.json of a folder. The
// error for an incomplete or impossible document names the file and the place. most is the maximum size of the document
// in bytes, at most [MaxSize]. A file must be regular, or a descriptor (see [IsDescriptor]): any other may wait for its
// other end for ever.
func (l Loader) Load(name string, most int64) (*Document, error) {
	return l.load(name, most, IsDescriptor(name))
}

// LoadNamed is [Loader.Load] for a name that the user typed, which may name a pipe.
func (l Loader) LoadNamed(name string) (*Document, error) { return l.load(name, MaxSize, true) }

func (l Loader) load(name string, most int64, pipe bool) (*Document, error) {
	file, err := open(name, pipe)
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("%s: %w", of.Path, of.Err)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err == nil {
		err = CheckEnds(info)
	}
	var document *Document
	if err == nil {
		document, err = l.read(file, info.Size(), most)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	return document, nil
}

// open opens a file, or the document in a folder. It opens a file that is not regular only if pipe is set.
func open(name string, pipe bool) (*os.File, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		file, err := procfile.Open(filepath.Join(name, fileName))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, notOurs(fmt.Sprintf("%s: has no %s; name the folder of a run, or a file", name, fileName))
		}
		return file, err
	case pipe && !info.Mode().IsRegular():
		return os.Open(name)
	default:
		return procfile.Open(name)
	}
}

// CheckEnds returns an error for a file that a reader may wait for without end: a device, such as /dev/kmsg, or a
// kernel file without a size, such as /proc/kmsg.
func CheckEnds(info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeDevice != 0:
		return errors.New("is a device; name a file")
	case info.Mode().IsRegular() && info.Size() == 0:
		return errors.New("is empty, or a kernel file without a size (/proc); name a copy of it")
	default:
		return nil
	}
}

// IsDescriptor reports whether a path names an open file of this process, such as the shell's <(...): /dev/fd/3.
func IsDescriptor(name string) bool { return path.Dir(name) == "/dev/fd" }

// Read reads one document, which must be all of r: JSON, an HTML report with the document in
// it (see [Document.WriteScript]), or a zip file of the folder of --out. It recognises the form
// by the content.
func (l Loader) Read(r io.Reader) (*Document, error) { return l.read(r, 0, MaxSize) }

// read is [Loader.Read] for about size bytes. most is the maximum size of the document in bytes.
func (l Loader) read(r io.Reader, size, most int64) (*Document, error) {
	buffered := bufio.NewReader(decoded(r))
	// A file that cannot be a document may be endless, so it is not read to its end.
	const beginning = 512
	head, err := buffered.Peek(beginning)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	open, err := opener(head)
	if err != nil {
		return nil, err
	}
	data, err := readAll(buffered, size, most)
	if err != nil {
		return nil, err
	}
	return open(l, data, most)
}

// decoded returns r without a byte order mark, in UTF-8 if the mark is of UTF-16: many Windows programs write a mark,
// and PowerShell redirects with UTF-16.
func decoded(r io.Reader) io.Reader {
	return transform.NewReader(r, unicode.BOMOverride(transform.Nop))
}

// opener returns the function that reads data that begins with head.
func opener(head []byte) (func(l Loader, data []byte, most int64) (*Document, error), error) {
	text := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case len(head) == 0:
		return nil, errors.New("is empty")
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return Loader.openZip, nil
	case bytes.HasPrefix(text, []byte("<")):
		return Loader.openHTML, nil
	case bytes.HasPrefix(text, []byte("{")):
		return Loader.openJSON, nil
	default:
		// Its content is not quoted: a link may lead to a file that the reader of the error may not read.
		return nil, notOurs("is not a timebench document, nor a report in HTML or a zip file with one")
	}
}

// readAll reads about size bytes, and at most most. Input that is too large never takes twice its memory.
func readAll(r io.Reader, size, most int64) ([]byte, error) {
	const piece = 64 << 10
	var pieces [][]byte
	data := make([]byte, 0, min(size, most)+1) // with room to find the end
	for left := most + 1; ; {
		if len(data) == cap(data) {
			pieces, data = append(pieces, data), make([]byte, 0, min(piece, left))
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch left -= int64(n); {
		case left <= 0:
			return nil, ErrTooLarge
		case errors.Is(err, io.EOF) && len(pieces) == 0:
			return data, nil
		case errors.Is(err, io.EOF):
			return slices.Concat(append(pieces, data)...), nil
		case err != nil:
			return nil, err
		}
	}
}

func (l Loader) openJSON(data []byte, _ int64) (*Document, error) {
	return l.open(data, 0)
}

func (l Loader) openHTML(data []byte, _ int64) (*Document, error) {
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
	return l.open(data[:from+length], from)
}

func (l Loader) openZip(data []byte, most int64) (*Document, error) {
	archive, err := OpenZip(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
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
	document, err := l.openEntry(found[0], most)
	if err != nil {
		return nil, fmt.Errorf("%.64q in it: %w", found[0].Name, err)
	}
	return document, nil
}

// OpenZip opens a zip file of size bytes. It refuses a file, or a directory in it, that is larger than --out writes.
func OpenZip(r io.ReaderAt, size int64) (*zip.Reader, error) {
	if size > MaxSize {
		return nil, ErrTooLarge
	}
	directory := &limited{r, maxDirectory}
	archive, err := zip.NewReader(directory, size)
	if errors.Is(err, errDirectory) {
		return nil, errDirectory
	}
	if err != nil {
		return nil, fmt.Errorf("is no whole zip file: %w", err)
	}
	directory.left = math.MaxInt
	return archive, nil
}

// openEntry reads a document of an archive.
func (l Loader) openEntry(entry *zip.File, most int64) (*Document, error) {
	const encrypted = 1
	switch {
	case entry.Flags&encrypted != 0:
		return nil, errors.New("is encrypted")
	case entry.UncompressedSize64 > uint64(most):
		return nil, ErrTooLarge
	}
	r, err := entry.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	data, err := readAll(decoded(r), int64(entry.UncompressedSize64), most)
	if err != nil {
		return nil, err
	}
	return l.openJSON(data, most)
}

// A limited is an archive from which left bytes may be read.
type limited struct {
	io.ReaderAt
	left int
}

var errDirectory = fmt.Errorf("is a zip file with a directory of more than %d MiB", maxDirectory>>20)

func (l *limited) ReadAt(p []byte, at int64) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errDirectory
	}
	return l.ReaderAt.ReadAt(p, at)
}
