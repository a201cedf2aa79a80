package symbols

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/trace"
	"golang.org/x/sys/unix"
)

const (
	// maxFiles and maxFileBytes bound the tables that are kept.
	maxFiles     = 1024
	maxFileBytes = 512 << 20
	// patience bounds the time to read one file. A file of FUSE, or of a network file system whose server
	// is gone, may take for ever.
	patience = 10 * time.Second
	// maxStuck bounds the file systems on which a read did not end in time. Each read keeps a thread.
	maxStuck = 8
)

// Files keeps the tables of files, so that a library which thousands of processes map is read once. Its methods may be
// called at once from several goroutines. The zero value is ready to use.
type Files struct {
	mu     sync.Mutex
	tables map[fileID]*kept
	bytes  int64
	uses   uint64
	stuck  map[string]int // by source, the reads that did not end in time

	reads    int           // files that were read, for tests
	patience time.Duration // instead of the constant, for tests
}

// A fileID changes when the contents of a file do.
type fileID struct {
	device, inode uint64
	size          int64
	modified      unix.Timespec
}

// kept is the table of one file. table and err are valid after read.
type kept struct {
	read  sync.Once
	table *Table // nil if the file has no functions, or is not an ELF file
	used  uint64 // Files.uses when it was last asked for
	bytes int64
}

// size returns about how many bytes of memory the table takes.
func (t *Table) size() int64 {
	const pieceSize, fixed = 16, 1 << 10
	return fixed + int64(len(t.names)) + pieceSize*int64(len(t.pieces))
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
		table, err := FromELF(file, id.size)
		const withoutTable = 256
		size := int64(withoutTable)
		if err == nil {
			size = table.size()
		} else {
			trace.Printf("symbols", "%s: %v", file.Name(), err)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		k.table, k.bytes = table, size
		f.reads++
		f.bytes += size
		f.evict(k)
	})
	return k.table
}

// evict drops the tables that were not used for longest until the bounds hold. It leaves those that are being read,
// and the newest.
func (f *Files) evict(newest *kept) {
	for len(f.tables) > maxFiles || f.bytes > maxFileBytes {
		var oldest fileID
		found := false
		for id, k := range f.tables {
			if k != newest && k.bytes > 0 && (!found || k.used < f.tables[oldest].used) {
				oldest, found = id, true
			}
		}
		if !found {
			return
		}
		f.bytes -= f.tables[oldest].bytes
		delete(f.tables, oldest)
	}
}

var errStuck = errors.New("its file system does not answer")

// inTime calls a function that reads a file of a source, such as a device. It returns the error of the function, or errStuck
// if that takes longer than patience. The function then goes on, so it must not touch what the caller uses. Until it
// ends, nothing of the same source is read; nor of any other, after maxStuck of them.
func (f *Files) inTime(source string, read func() error) error {
	f.mu.Lock()
	refuse := f.stuck[source] > 0 || len(f.stuck) >= maxStuck
	f.mu.Unlock()
	if refuse {
		return errStuck
	}
	done := make(chan error, 1)
	go func() { done <- read() }()
	timer := time.NewTimer(cmp.Or(f.patience, patience))
	defer timer.Stop()
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
	f.mu.Unlock()
	go func() {
		if err := <-done; err != nil {
			trace.Printf("symbols", "after more than %v: %v", patience, err)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.stuck[source]--; f.stuck[source] == 0 {
			delete(f.stuck, source)
		}
	}()
	return errStuck
}

var errNotRegular = errors.New("not a regular file")

// openRegular opens a file for reading if it is a regular one, and accept returns no error for it. Nothing else is ever
// opened: a FIFO would wait for its other end, and a device may do anything. If resolve is not 0, it has the flags
// of openat2(2) for the path.
func openRegular(folder int, path string, flags int, resolve uint64, accept func(*unix.Stat_t) error) (*os.File, fileID, error) {
	wrong := func(err error) (*os.File, fileID, error) { return nil, fileID{}, fmt.Errorf("%s: %w", path, err) }
	fd, err := openPath(folder, path, flags, resolve)
	if err != nil {
		return wrong(err)
	}
	defer func() { _ = unix.Close(fd) }()
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return wrong(err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return wrong(errNotRegular)
	}
	if err := accept(&stat); err != nil {
		return wrong(err)
	}
	file, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", fd), os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return wrong(err)
	}
	return file, fileID{stat.Dev, stat.Ino, stat.Size, stat.Mtim}, nil
}

// openPath opens a file without opening what it is (O_PATH of open(2)).
func openPath(folder int, path string, flags int, resolve uint64) (int, error) {
	flags |= unix.O_PATH | unix.O_CLOEXEC
	if resolve == 0 {
		return unix.Openat(folder, path, flags, 0)
	}
	fd, err := unix.Openat2(folder, path, &unix.OpenHow{Flags: uint64(flags), Resolve: resolve})
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		// Linux before 5.6, or a seccomp filter that does not know openat2. Symbolic links on the way
		// may then lead out of the process's root. The caller compares the file with what it expects.
		trace.Printf("symbols", "openat2: %v; using openat", err)
		return unix.Openat(folder, path, flags, 0)
	}
	return fd, err
}
