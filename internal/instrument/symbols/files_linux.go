package symbols

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

const (
	// maxFiles bounds the tables that are kept.
	maxFiles = 1024
	// maxBytes bounds the memory that all tables and mappings take, and the reading of one more, by an estimate. Chromium
	// with all its symbols takes 310 MB while it is read.
	maxBytes = 320 << 20
	// maxTime bounds the time to read all files.
	maxTime = 10 * time.Second
	// patience bounds the time to read one file. A file of FUSE, or of a network file system whose server
	// is gone, may take for ever.
	patience = 5 * time.Second
	// maxStuck bounds the file systems on which a read did not end in time. Each read keeps a thread.
	maxStuck = 8
)

// Files keeps the tables of files, so that a library which thousands of processes map is read once. What its processes take
// together has a bound, in memory and in time: see [Files.Exhausted]. Its methods may be called at once from several
// goroutines. The zero value is ready to use.
type Files struct {
	mu        sync.Mutex
	tables    map[fileID]*kept
	bytes     int64         // of the tables, of the mappings of processes, and for what is being read
	spent     time.Duration // reading
	exhausted error         // the first bound that was exceeded
	uses      uint64
	stuck     map[string]int // by source, the reads that did not end in time

	reads  int    // files that were read, for tests
	limits limits // instead of the constants, for tests
}

// limits are the bounds of Files; 0 for those of the constants.
type limits struct {
	bytes          int64
	time, patience time.Duration
}

// A fileID changes when the contents of a file do.
type fileID struct {
	device, inode uint64
	size          int64
	modified      unix.Timespec
	compiled      bool // it is read as a list of compiled functions, and not as an ELF file
}

// kept is the table of one file. table and bytes are valid after read.
type kept struct {
	read  sync.Once
	table *Table // nil if the file has no functions, or is not what it is read as
	used  uint64 // Files.uses when it was last asked for
	bytes int64  // 0 while it is read
}

// size returns about how many bytes of memory the table takes.
func (t *Table) size() int64 {
	const fixed = 1 << 10
	return fixed + int64(cap(t.names)) + pieceSize*int64(cap(t.pieces))
}

// Exhausted returns why some functions have no name: reading the symbols of one file, or of all processes, takes more memory or
// time than it may. It returns nil if it does not.
func (f *Files) Exhausted() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.exhausted
}

// exceeded notes that a bound was exceeded, and returns the error. The caller holds the lock.
func (f *Files) exceeded(err error) error {
	f.exhausted = cmp.Or(f.exhausted, err)
	return err
}

// reserve takes so many bytes of the memory for symbols. For that it drops the tables that were not used for longest.
func (f *Files) reserve(bytes int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	most := cmp.Or(f.limits.bytes, maxBytes)
	for f.bytes > most-bytes || len(f.tables) > maxFiles {
		if !f.evict() {
			break
		}
	}
	if f.bytes > most-bytes {
		return f.exceeded(fmt.Errorf("the symbols of all programs need more than %d MiB of memory", most>>20))
	}
	f.bytes += bytes
	return nil
}

// release returns bytes that were reserved.
func (f *Files) release(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bytes -= bytes
}

// evict drops the table that was not used for longest. It leaves those that are being read. It returns false if there is
// none.
func (f *Files) evict() bool {
	var oldest fileID
	found := false
	for id, k := range f.tables {
		if k.bytes > 0 && (!found || k.used < f.tables[oldest].used) {
			oldest, found = id, true
		}
	}
	if found {
		f.bytes -= f.tables[oldest].bytes
		delete(f.tables, oldest)
	}
	return found
}

// known returns the table of a file if it is kept. The table is nil if the file has none.
func (f *Files) known(id fileID) (table *Table, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.tables[id]
	if k == nil || k.bytes == 0 {
		return nil, false
	}
	f.uses++
	k.used = f.uses
	return k.table, true
}

// read returns the table of an open file, and reads the file unless the table is kept. The table is nil if
// the file has none.
func (f *Files) read(file *os.File, id fileID) *Table {
	f.mu.Lock()
	k := f.tables[id]
	if k == nil {
		k = &kept{}
		if f.tables == nil {
			f.tables = make(map[fileID]*kept)
		}
		f.tables[id] = k
	}
	f.uses++
	k.used = f.uses
	f.mu.Unlock()
	k.read.Do(func() {
		reserved := int64(0)
		reserve := func(bytes int64) error {
			err := f.reserve(bytes)
			if err == nil {
				reserved += bytes
			}
			return err
		}
		const withoutTable = 256
		size, err := int64(withoutTable), reserve(withoutTable)
		var table *Table
		if err == nil {
			table, err = parserOf(id)(file, id.size, reserve)
		}
		if err != nil {
			table = nil
			debuglog.Printf("symbols", "%s: %v", file.Name(), err)
		} else {
			size = table.size()
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		k.table, k.bytes = table, size
		f.reads++
		f.bytes += size - reserved
	})
	return k.table
}

// parserOf returns the function that reads a file. It calls reserve before it takes memory.
func parserOf(id fileID) func(file io.ReaderAt, size int64, reserve func(int64) error) (*Table, error) {
	if id.compiled {
		return readPerfMap
	}
	return fromELF
}

var errStuck = errors.New("a file with symbols could not be read in time, such as one of a file system that does not answer")

// inTime calls a function that reads a file of a source, such as a device. It returns the error of the function, or errStuck
// if that takes longer than patience, or than what is left of the time for all files. The function then goes on, so it must not
// touch what the caller uses. Until it ends, nothing of the same source is read; nor of any other, after maxStuck of them.
func (f *Files) inTime(source string, read func() error) error {
	f.mu.Lock()
	refuse := f.stuck[source] > 0 || len(f.stuck) >= maxStuck
	f.mu.Unlock()
	if refuse {
		return errStuck
	}
	left, err := f.spend(0)
	if err != nil {
		return err
	}
	began := time.Now()
	done := make(chan error, 1)
	go func() { done <- read() }()
	timer := time.NewTimer(min(left, cmp.Or(f.limits.patience, patience)))
	defer timer.Stop()
	defer func() { _, _ = f.spend(time.Since(began)) }()
	select {
	case err := <-done:
		return err
	case <-timer.C:
	}
	f.mu.Lock()
	if f.stuck == nil {
		f.stuck = make(map[string]int)
	}
	f.stuck[source]++
	err = f.exceeded(errStuck)
	f.mu.Unlock()
	go func() {
		if err := <-done; err != nil {
			debuglog.Printf("symbols", "after %v: %v", time.Since(began), err)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.stuck[source]--; f.stuck[source] == 0 {
			delete(f.stuck, source)
		}
	}()
	return err
}

// spend takes some of the time for all files, and returns what is left. The error is that nothing is.
func (f *Files) spend(span time.Duration) (left time.Duration, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spent += span
	most := cmp.Or(f.limits.time, maxTime)
	if f.spent >= most {
		return 0, f.exceeded(fmt.Errorf("reading the symbols of all programs takes more than %v", most))
	}
	return most - f.spent, nil
}

// openRegular is [procfile.OpenAt], and returns the identity of the file too.
func openRegular(folder int, path string, flags int, resolve uint64, accept func(*unix.Stat_t) error) (file *os.File, id fileID, err error) {
	file, err = procfile.OpenAt(folder, path, flags, resolve, func(stat *unix.Stat_t) error {
		id = fileID{device: stat.Dev, inode: stat.Ino, size: stat.Size, modified: stat.Mtim}
		return accept(stat)
	})
	return file, id, err
}
