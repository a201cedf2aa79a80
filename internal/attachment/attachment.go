// Package attachment reads what people attach to a bug report: a kernel log as text, or the files of a machine, in a
// folder or an archive (a sosreport, a supportconfig). It makes a document of it, without measured clocks.
//
// Everything in these files is of somebody else: what is read has a bound, archives are read in memory, and links are not
// followed.
package attachment

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"
	"github.com/timebench/timebench/internal/compare"
	"github.com/timebench/timebench/internal/procfile"
	"github.com/timebench/timebench/internal/result"
)

const (
	// maxText is the max size of a log, and of all files that are kept of an archive, in bytes.
	maxText = 64 << 20
	// maxUnpacked is the max size of an archive without its compression, in bytes, of which most is skipped.
	maxUnpacked = 1 << 30
	// maxWindow is the max memory of a decompressor, in bytes. The tools' highest levels need as much.
	maxWindow = 64 << 20
)

// ErrUnknown is the error of [Load] for what is of another kind.
var ErrUnknown = errors.New("is neither a timebench document nor a kernel log with lines about clocks (dmesg, journalctl -k -b), nor the files of a machine (sosreport)")

var errTooLarge = fmt.Errorf("has more than %d MiB of text", maxText>>20)

// Load returns the document of a kernel log, an archive or a folder. The error names the file. The document lacks the
// tool.
func Load(name string) (*result.Document, error) {
	d, err := load(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.ToSlash(name), err)
	}
	return d, nil
}

func load(name string) (*result.Document, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		files, err := ofFolder(name)
		if err != nil {
			return nil, err
		}
		return ofFiles(name, files)
	}
	file, err := procfile.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return Read(name, file)
}

// Read returns the document of a kernel log or of an archive, which must be all of r. It recognises them by the content.
func Read(name string, r io.Reader) (*result.Document, error) {
	plain, err := decompressed(bufio.NewReader(r))
	if err != nil {
		return nil, err
	}
	const magicAt, magic = 257, "ustar" // of a header in an archive of tar
	head, err := plain.Peek(magicAt + len(magic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(head) == magicAt+len(magic) && string(head[magicAt:]) == magic {
		files, err := ofArchive(tar.NewReader(&bounded{plain, maxUnpacked}))
		if err != nil {
			return nil, err
		}
		return ofFiles(name, files)
	}
	text, err := io.ReadAll(io.LimitReader(plain, maxText+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxText:
		return nil, errTooLarge
	case len(text) == 0:
		return nil, errors.New("is empty")
	case bytes.IndexByte(head, 0) >= 0:
		return nil, ErrUnknown
	}
	return ofLog(name, text)
}

// compressions are the ways of compression, by the bytes that a file begins with.
var compressions = []struct {
	magic string
	open  func(io.Reader) (io.Reader, error)
}{
	{"\x1f\x8b", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"\xfd7zXZ\x00", func(r io.Reader) (io.Reader, error) { return xz.NewReader(r, maxWindow) }},
	{"\x28\xb5\x2f\xfd", func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	}},
}

// decompressed returns the content without its compression, if it has one.
func decompressed(r *bufio.Reader) (*bufio.Reader, error) {
	for _, c := range compressions {
		if head, _ := r.Peek(len(c.magic)); string(head) == c.magic {
			plain, err := c.open(r)
			if err != nil {
				return nil, err
			}
			return bufio.NewReader(plain), nil
		}
	}
	return r, nil
}

// A bounded reader ends with an error after so many bytes.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(to []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("has more than %d MiB of files", maxUnpacked>>20)
	}
	n, err := b.r.Read(to[:min(int64(len(to)), b.left)])
	b.left -= int64(n)
	return n, err
}

// document returns a document of a machine of which nothing was measured.
func document(facts result.Host) *result.Document {
	return &result.Document{
		Schema: result.Schema, GeneratedAt: time.Now().UTC().Truncate(time.Second), Host: facts,
		Settings: result.Settings{Pin: "none", Workers: "threads"},
		Sections: []result.Section{&compare.Costs{Clocks: []compare.Clock{}}},
	}
}
