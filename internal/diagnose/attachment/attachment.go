// Package attachment reads the attachments of bug reports: a kernel log as text, or the files of a machine, in a folder
// or an archive (a sosreport, a supportconfig). It makes a document of it, without measured clocks.
//
// The files come from other people, so reading has a bound, archives are read in memory, and links are not followed.
package attachment

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime/debug"

	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"
	"github.com/timebench/timebench/internal/document/result"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// ReadFolder returns the document of a folder with the files of a machine. The document lacks the tool.
func ReadFolder(name string) (*result.Document, error) {
	files, err := ofFolder(name)
	if err != nil {
		return nil, err
	}
	return ofFiles(name, files)
}

// Read returns the document of a kernel log or of an archive, which must be all of r. It recognises them by the
// content. name is for the facts, and is not in errors. The document lacks the tool.
func Read(name string, r io.Reader) (*result.Document, error) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(maxMemory))
	plain, err := newBudget().decompressed(bufio.NewReader(r))
	if err != nil {
		return nil, err
	}
	const magicAt, magic = 257, "ustar" // of a header in an archive of tar
	head, err := plain.Peek(magicAt + len(magic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(head) == magicAt+len(magic) && string(head[magicAt:]) == magic {
		files, err := ofArchive(plain)
		if err != nil {
			return nil, err
		}
		return ofFiles(name, files)
	}
	switch {
	case len(head) == 0:
		return nil, errors.New("is empty; give a result of timebench, a kernel log (dmesg) or " +
			"the files of a machine (sosreport)")
	case bytes.HasPrefix(head, utf16Little), bytes.HasPrefix(head, utf16Big): // as Windows PowerShell redirects
		decoder := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()
		return ofLog(name, transform.NewReader(plain, decoder))
	case binary.Match(head):
		return nil, ErrUnknown
	}
	return ofLog(name, plain)
}

var (
	// binary matches the beginning of a file that is no text. A log may have zeros before a line: of a power cut, or of a
	// serial console that starts.
	binary = regexp.MustCompile(`[^\n\x00]\x00|^\x00+$`)
	// rawLog is the beginning of `dmesg -r`, a priority where HTML has the name of an element, or of a log that was
	// copied with the tags of the page around it.
	rawLog = regexp.MustCompile(`^<(?:\d{1,3}|pre|code)>`)
	// collected is a first line of a log collector (Elastic, Loki, Fluentd, Logstash, Vector), which has its message in
	// one of these keys.
	collected = regexp.MustCompile(`^\{.*"(?:message|msg|log|line)"\s*:\s*".*\}\s*(?:\n|$)`)
	object    = regexp.MustCompile(`^\{\s*(?:["}]|$)`)          // of JSON; a vendor's log may begin with a brace
	schema    = regexp.MustCompile(`"schema"\s*:\s*"timebench`) // of a document
	// journal is the beginning of `journalctl -o json` or json-pretty: systemd.journal-fields(7) has its keys.
	journal = regexp.MustCompile(`^\{(?:.*|\s*)"(?:__REALTIME_TIMESTAMP|__CURSOR|_BOOT_ID|_TRANSPORT|SYSLOG_IDENTIFIER)"\s*:`)
)

// HeadSize is how many bytes of a file [IsDocument] needs. A line of journald's JSON is long.
const HeadSize = 32 << 10

// IsDocument reports whether a file that begins with head may be a document of timebench: JSON, HTML or a zip file.
func IsDocument(head []byte) bool {
	if bytes.HasPrefix(head, utf16Little) || bytes.HasPrefix(head, utf16Big) {
		head = bytes.ReplaceAll(head[len(utf16Little):], []byte{0}, nil) // of its first characters in ASCII
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if collected.Match(text) && !schema.Match(text) {
		return false
	}
	return bytes.HasPrefix(head, []byte("PK")) || bytes.HasPrefix(text, []byte("<")) && !rawLog.Match(text) ||
		object.Match(text) && !journal.Match(text) && !dmesgJSON.Match(text)
}

var utf16Little, utf16Big = []byte{0xff, 0xfe}, []byte{0xfe, 0xff} // The byte order marks of UTF-16

// compressions are the compression formats, by the first bytes of a file.
var compressions = []struct {
	magic string
	open  func(io.Reader) (io.Reader, error)
}{
	{"\x1f\x8b", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"BZh", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	{"\xfd7zXZ\x00", func(r io.Reader) (io.Reader, error) { return xz.NewReader(r, maxWindow) }},
	{"\x28\xb5\x2f\xfd", func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
	}},
}

func (b *budget) decompressed(r *bufio.Reader) (*bufio.Reader, error) {
	var plain io.Reader = r
	for _, c := range compressions {
		if head, _ := r.Peek(len(c.magic)); string(head) == c.magic {
			var err error
			if plain, err = c.open(r); err != nil {
				return nil, err
			}
			break
		}
	}
	return bufio.NewReaderSize(b.over(plain), maxRead), nil
}

const (
	// maxUnpacked is the max size of an archive without its compression, in bytes. Most of it is skipped.
	maxUnpacked = 1 << 30
	// maxSeconds is the max CPU time, or the max elapsed time where the CPU time of the process is unknown:
	// three times what a log of maxText takes on a CPU of 2023.
	maxSeconds = 30
	// maxWindow is the max memory of a decompressor, in bytes. The tools' highest levels need as much.
	maxWindow = 64 << 20
	// maxMemory is the target of the garbage collector, in bytes: without it, the memory grows to twice a window.
	maxMemory = 80 << 20
)

// ErrUnknown is the error for an attachment of another kind.
var ErrUnknown = errors.New("is neither a timebench document nor a kernel log (dmesg, journalctl -k -b), nor the files " +
	"of a machine (sosreport)")

// errCutOff is the error for an archive whose last files may be missing, the log among them.
var errCutOff = errors.New("is cut off: its end is missing; give the whole file, or unpack it and give the folder")

var errSpent = errors.New("takes more than") // begins the errors for an attachment that takes more than its budget

// A budget is the limit for all files of an attachment together.
type budget struct {
	bytes int64   // that may still be read
	until float64 // the reading of spent at which the time is over, in seconds
	spent func() float64
}

func newBudget() *budget {
	return &budget{maxUnpacked, spentSeconds() + maxSeconds, spentSeconds}
}

// over returns a reader that ends with an error when the budget is spent.
func (b *budget) over(r io.Reader) io.Reader { return &bounded{b, r} }

type bounded struct {
	*budget
	r io.Reader
}

func (b *bounded) Read(to []byte) (int, error) {
	switch {
	case b.bytes <= 0:
		return 0, fmt.Errorf("%w %d MiB to read", errSpent, maxUnpacked>>20)
	case b.spent() > b.until:
		return 0, fmt.Errorf("%w %d s of CPU time to read", errSpent, maxSeconds)
	}
	n, err := b.r.Read(to[:min(int64(len(to)), b.bytes)])
	b.bytes -= int64(n)
	if errors.Is(err, io.ErrUnexpectedEOF) { // of a decompressor
		err = errCutOff
	}
	return n, err
}
