package attachment

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/printable"
)

func (c *collection) add(name string, r io.Reader) error {
	if c.read[name] {
		return nil
	}
	c.read[name] = true
	switch {
	case slices.Contains(supportconfigs, name):
		c.addSections(name, r)
		return nil
	case slices.Contains(logs, name):
		c.addLog(name, r)
		return nil
	}
	content, err := io.ReadAll(io.LimitReader(r, int64(limit(name))+1))
	if len(content) <= limit(name) && (err == nil || len(content) > 0) { // a file of sysfs may end with an error
		c.keep(name, content)
	}
	return err
}

// ofArchive returns the known files of an archive. It skips links, devices and paths that lead out.
func ofArchive(r *bufio.Reader) (*collection, error) {
	all := &toEnd{r: r}
	archive := tar.NewReader(all)
	found := newCollection()
	for {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF) && all.ended: // archive/tar needs no blocks of zeros at the end, as tar(5) does
			return nil, errCutOff
		case errors.Is(err, io.EOF):
			return found, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, errCutOff
		case errors.Is(err, errSpent):
			return nil, fmt.Errorf("%w; unpack it and give the folder", err)
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return nil, err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if name, ok := within(header.Name); ok {
			err := found.add(name, archive)
			if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // which Next returns again
				return nil, err
			}
		}
	}
}

// toEnd is a reader that records whether it was read beyond its end.
type toEnd struct {
	r     io.Reader
	ended bool
}

func (e *toEnd) Read(to []byte) (int, error) {
	n, err := e.r.Read(to)
	e.ended = e.ended || n == 0 && errors.Is(err, io.EOF)
	return n, err
}

// ofFolder returns the known files of a folder. Links are followed only within it.
func ofFolder(name string) (*collection, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	found, budget := newCollection(), newBudget()
	for _, above := range append([]string{"."}, foldersIn(root)...) {
		for _, file := range known {
			found.addFrom(root, path.Join(above, file), file, budget)
		}
		if len(found.files) > 0 || found.from != "" {
			break
		}
		clear(found.read)
	}
	return found, nil
}

func foldersIn(root *os.Root) []string {
	const most = 16
	entries, _ := fs.ReadDir(root.FS(), ".")
	var folders []string
	for _, entry := range entries {
		if entry.IsDir() && len(folders) < most {
			folders = append(folders, entry.Name())
		}
	}
	return folders
}

// addFrom keeps a file of a folder, if it is a regular file that can be read.
func (c *collection) addFrom(root *os.Root, file, name string, budget *budget) {
	opened, err := root.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // without waiting for the writer of a FIFO
	if err != nil {
		return
	}
	defer func() { _ = opened.Close() }()
	if info, err := opened.Stat(); err == nil && info.Mode().IsRegular() {
		_ = c.add(name, budget.over(opened)) // an unreadable file counts as missing
	}
}

func ofFiles(name string, found *collection) (*result.Document, error) {
	switch {
	case len(found.files) > 0 || found.from != "":
	case found.unread != nil:
		return nil, found.unread
	default:
		return nil, ErrUnknown
	}
	facts := factsOf(found.files, found.log.events)
	found.log.addTo(&facts)
	switch {
	case found.from != "":
		facts.KernelLog = found.log.kernelLog(found.from)
	case found.unread != nil:
		facts.KernelLog = &result.KernelLog{Reason: printable.Line(found.unread.Error())}
	default:
		facts.KernelLog = &result.KernelLog{Reason: "there is none in " + printable.Line(filepath.Base(name))}
	}
	return document(facts), nil
}

// maxText is the max size of a log, and of all files that are kept of an archive, in bytes.
const maxText = 64 << 20

var errTooLarge = fmt.Errorf("has more than %d MiB of text", maxText>>20)

func document(facts result.Host) *result.Document {
	return &result.Document{
		Schema: result.Schema, GeneratedAt: time.Now().UTC().Truncate(time.Second), Host: facts,
		Settings: result.Settings{Pin: "none", Workers: "threads"},
		Sections: []result.Section{&compare.Costs{Clocks: []compare.Clock{}}},
	}
}
