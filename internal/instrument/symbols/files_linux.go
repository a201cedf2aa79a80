package symbols

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

const (
	// maxBytes bounds the memory that all tables and mappings take, and the reading of one more, by an estimate. Chromium
	// with all its symbols takes 310 MB while it is read.
	maxBytes = 320 << 20
	// maxTime bounds the time to read all files, and patience that of one. A file of FUSE, or of a network file system whose
	// server is gone, may take for ever.
	maxTime, patience = 10 * time.Second, 5 * time.Second
)

// Files keeps the tables of files, so that a library which thousands of processes map is read once. What its processes take
// together has a bound, in memory and in time: see [Files.Exhausted]. The zero value is ready to use.
type Files struct {
	mu        sync.Mutex // of what follows: a file that is not read in time is still being read
	tables    map[fileID]*Table
	kept      int64         // bytes of the tables
	bytes     int64         // of these, of the mappings of processes, and for what is being read
	spent     time.Duration // reading
	exhausted error         // the first bound that was exceeded
	reads     int           // files that were read, for tests
}

func (t *Table) size() int64 {
	const fixed = 1 << 10
	return fixed + int64(cap(t.names)) + functionSize*int64(cap(t.functions))
}

// A fileID changes when the contents of a file do.
type fileID struct {
	device, inode uint64
	size          int64
	modified      unix.Timespec
	compiled      bool // it is read as a list of compiled functions, and not as an ELF file
}

// Exhausted returns why some functions have no name: reading the symbols of one file, or of all processes, takes more memory or
// time than it may. It returns nil if it does not.
func (f *Files) Exhausted() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.exhausted
}

// reserve takes so many bytes of the memory for symbols. If there are not as many, it drops all tables: those in use are read again.
func (f *Files) reserve(bytes int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.bytes > maxBytes-bytes {
		f.bytes -= f.kept
		f.kept, f.tables = 0, nil
	}
	if f.bytes > maxBytes-bytes {
		f.exhausted = cmp.Or(f.exhausted, fmt.Errorf("the symbols of all programs need more than %d MiB of memory", maxBytes>>20))
		return f.exhausted
	}
	f.bytes += bytes
	return nil
}

func (f *Files) release(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bytes -= bytes
}

// known returns the table of a file if it is kept. The table is nil if the file has none.
func (f *Files) known(id fileID) (table *Table, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	table, ok = f.tables[id]
	return table, ok
}

var errHung = errors.New("a file with symbols could not be read in time, such as one of a file system that does not answer")

// read returns the table of the file that open opens, nil if it has no functions. The error is that of open, or errHung if it takes
// longer than patience, or than what is left of the time for all files. The reading then goes on, so open must not touch what the
// caller uses.
func (f *Files) read(open func() (*os.File, fileID, error)) (fileID, *Table, error) {
	left, err := f.spend(0)
	if err != nil {
		return fileID{}, nil, err
	}
	type result struct {
		id    fileID
		table *Table
		err   error
	}
	done := make(chan result, 1)
	began := time.Now()
	go func() {
		file, id, err := open()
		if err != nil {
			done <- result{err: err}
			return
		}
		defer func() { _ = file.Close() }()
		done <- result{id, f.tableOf(file, id), nil}
	}()
	r := result{err: errHung}
	select {
	case r = <-done:
	case <-time.After(min(left, patience)):
		f.mu.Lock()
		f.exhausted = cmp.Or(f.exhausted, errHung)
		f.mu.Unlock()
	}
	_, _ = f.spend(time.Since(began))
	return r.id, r.table, r.err
}

// tableOf returns the table of an open file, and reads the file unless the table is kept.
func (f *Files) tableOf(file *os.File, id fileID) *Table {
	if table, ok := f.known(id); ok {
		return table
	}
	reserved := int64(0)
	reserve := func(bytes int64) error {
		err := f.reserve(bytes)
		if err == nil {
			reserved += bytes
		}
		return err
	}
	read := fromELF
	if id.compiled {
		read = readPerfMap
	}
	table, err := read(file, id.size, reserve)
	size := int64(256) // of one without a table
	if err != nil {
		table = nil
		debuglog.Printf("symbols", "%s: %v", file.Name(), err)
	} else {
		size = table.size()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tables == nil {
		f.tables = make(map[fileID]*Table)
	}
	f.tables[id] = table
	f.reads++
	f.kept += size
	f.bytes += size - reserved
	return table
}

// spend takes some of the time for all files, and returns what is left. The error is that nothing is.
func (f *Files) spend(span time.Duration) (left time.Duration, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.spent += span; f.spent >= maxTime {
		f.exhausted = cmp.Or(f.exhausted, fmt.Errorf("reading the symbols of all programs takes more than %v", maxTime))
		return 0, f.exhausted
	}
	return maxTime - f.spent, nil
}

// openRegular is [procfile.OpenAt], and returns the identity of the file too.
func openRegular(folder int, path string, flags int, resolve uint64, accept func(*unix.Stat_t) error) (file *os.File, id fileID, err error) {
	file, err = procfile.OpenAt(folder, path, flags, resolve, func(stat *unix.Stat_t) error {
		id = fileID{device: stat.Dev, inode: stat.Ino, size: stat.Size, modified: stat.Mtim}
		return accept(stat)
	})
	return file, id, err
}
