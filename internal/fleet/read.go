package fleet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/system/folder"
)

// An Unread is a file or folder that could not be read.
type Unread struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// Listed names standard input, which lists a file or a folder in each line.
const Listed = "-"

// mostNames is the maximum number of names on standard input, which may have no end.
const mostNames = 100_000

// Find returns the results of a command line: files, what --out wrote, and all results in other folders. stdin is read
// if a name is "-". A name that does not exist is an Unread. The error is from reading stdin.
func Find(names []string, stdin io.Reader) (files []string, unread []Unread, err error) {
	var all []string
	for _, name := range names {
		if name != Listed {
			all = append(all, name)
			continue
		}
		lines := bufio.NewScanner(stdin)
		for lines.Scan() {
			if line := strings.TrimRight(lines.Text(), "\r"); line != "" {
				all = append(all, line)
			}
			if len(all) > mostNames {
				return nil, nil, fmt.Errorf("the list on standard input has more than %d lines", mostNames)
			}
		}
		if err := lines.Err(); err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("a line is longer than %d bytes", bufio.MaxScanTokenSize)
			}
			return nil, nil, fmt.Errorf("the list on standard input: %w", err)
		}
	}
	seen := map[string]bool{}
	add := func(file string) {
		if real := realPath(file); !seen[real] {
			seen[real] = true
			files = append(files, file)
		}
	}
	fail := func(name string, err error) { unread = append(unread, Unread{name, folder.SystemError(err).Error()}) }
	for _, name := range all {
		find(name, add, fail)
	}
	return files, unread, nil
}

// document and page are the results in a folder of --out.
const (
	document = "results.json"
	page     = "report.html"
)

// forms are the extensions of results.
var forms = []string{".json", ".html", ".zip"}

// others are the files of other commands, which have no machine.
var others = []string{"diff.json", "diff.html", "fleet.json", "fleet.html"}

// find calls add for each result of a name, and fail for each unreadable path.
func find(name string, add func(string), fail func(string, error)) {
	info, err := os.Stat(name)
	if err != nil {
		fail(name, err)
		return
	}
	if !info.IsDir() {
		// Another process may never write to a pipe. The shell's <(...) does.
		if !info.Mode().IsRegular() && !result.IsDescriptor(name) {
			fail(name, errors.New("is not a regular file"))
			return
		}
		add(name)
		return
	}
	// With a separator at its end a link to a folder is that folder.
	_ = filepath.WalkDir(name+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			fail(path, err)
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
		case entry.IsDir() || !slices.Contains(forms, strings.ToLower(filepath.Ext(path))) ||
			slices.Contains(others, entry.Name()):
		case entry.Name() == page && isFile(filepath.Join(filepath.Dir(path), document)): // of the same run
		case isFile(path):
			add(path)
		}
		return nil
	})
}

func realPath(file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	if whole, err := filepath.Abs(file); err == nil {
		file = whole
	}
	return file
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// small is the maximum size of a document that is read beside others. The document of a run has some hundred KB, and
// takes several times its size in memory.
const small = 4 << 20

// Read reads the results with all CPUs, and then the large documents one at a time. load returns the machine of a file,
// or [result.ErrTooLarge] if its document has more than this number of bytes. The machines and what could not be read
// are in the order of the files.
func Read(files []string, load func(file string, most int64) (Machine, error)) (machines []Machine, unread []Unread) {
	found, failed := make([]Machine, len(files)), make([]error, len(files))
	var next atomic.Int64
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		readers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(files)); i = next.Add(1) - 1 {
				found[i], failed[i] = load(files[i], small)
			}
		})
	}
	readers.Wait()
	for i, file := range files {
		if errors.Is(failed[i], result.ErrTooLarge) {
			found[i], failed[i] = load(file, result.MaxSize)
			runtime.GC() // or the next comes on top of this
		}
		if failed[i] != nil {
			unread = append(unread, Unread{file, strings.TrimPrefix(failed[i].Error(), file+": ")})
		} else {
			machines = append(machines, found[i])
		}
	}
	return machines, unread
}
