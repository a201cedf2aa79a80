package watch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/timebench/timebench/internal/system/folder"
)

const (
	// textfileExtension is the extension of the files that node_exporter's collector reads.
	textfileExtension = ".prom"
	// mostTextfile is the maximum size in bytes of a textfile that is replaced: metrics have some kilobytes.
	mostTextfile = 1 << 20
)

// CheckTextfile returns why metrics must not be written into a file.
func CheckTextfile(name string) error {
	if filepath.Ext(name) != textfileExtension {
		return fmt.Errorf("%q: node_exporter reads only files whose names end in %s; write "+
			"such a name", name, textfileExtension)
	}
	root, err := folder.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := folder.CheckWritable(root, ""); err != nil {
		return err
	}
	file, err := folder.OpenRegular(root, filepath.Base(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, folder.ErrNotRegular): // a link would be replaced, and a pipe has no end
		return fmt.Errorf("%s %w; name one, or a new file", name, err)
	case err != nil:
		return folder.Refused(err)
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, mostTextfile+1))
	if err != nil {
		return folder.Refused(fmt.Errorf("%s: %w", name, folder.SystemError(err)))
	}
	if len(content) > mostTextfile {
		return fmt.Errorf("%s is larger than %d MiB, which no textfile of timebench is; name "+
			"another file", name, mostTextfile>>20)
	}
	for line := range bytes.Lines(content) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && !bytes.HasPrefix(line, []byte("timebench_")) {
			return fmt.Errorf("%s has something other than metrics of timebench, which would be lost; name another file", name)
		}
	}
	return nil
}

// WriteTextfile replaces a textfile.
func WriteTextfile(name string, metrics []byte) error {
	root, err := folder.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return folder.Replace(root, []folder.File{{Name: filepath.Base(name), Content: metrics}}, nil)
}
