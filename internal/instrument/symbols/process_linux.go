package symbols

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/clock/vdso"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/process"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

// maxTime bounds the time to read the files of all processes, and patience that of one. A file of FUSE, or of a network file
// system whose server is gone, may take for ever.
const maxTime, patience = 10 * time.Second, 5 * time.Second

// Files are the files of processes, and the names that were found in them: a library which thousands of processes map
// is read once for the same addresses. The zero value is ready to use. Its methods are for one goroutine.
type Files struct {
	mu        sync.Mutex // of names: what did not end in time goes on
	names     map[place]string
	spent     time.Duration // reading
	exhausted error         // the first bound that was exceeded
}

// A place is an offset in a file; its name is empty if no function is known there.
type place struct {
	file   fileID
	offset uint64
}

// A fileID changes when the contents of a file do.
type fileID struct {
	device, inode uint64
	size          int64
	modified      unix.Timespec
}

// A Frame is what is known of an address.
type Frame struct {
	// Function is the readable name of the function: demangled, in one line of at most 200 bytes. Empty if it is unknown.
	Function string
	// Module is the base name of the file: libc.so.6. Memory without a file has the name that the kernel gives it,
	// such as [vdso] or [heap]. It is "JIT" if a just-in-time compiler named the function, and empty
	// if nothing is known.
	Module string
}

// JIT is the module of functions that a just-in-time compiler made.
const JIT = "JIT"

var errHung = errors.New("a file with symbols could not be read in time, such as one of a file system that does not answer")

// Exhausted returns why some functions have no name: reading the files of one process, or of all, takes more time than it may.
// It returns nil if it does not.
func (f *Files) Exhausted() error { return f.exhausted }

// timed returns what read returns; the zero value if that takes longer than patience, or than what is left of the time for all
// processes. The reading then goes on, so read must not touch what the caller uses.
func timed[T any](f *Files, read func() T) (value T) {
	left := maxTime - f.spent
	if left <= 0 {
		f.exhausted = cmp.Or(f.exhausted, fmt.Errorf("reading the symbols of all programs takes more than %v", maxTime))
		return value
	}
	done := make(chan T, 1)
	began := time.Now()
	go func() { done <- read() }()
	select {
	case value = <-done:
	case <-time.After(min(left, patience)):
		f.exhausted = cmp.Or(f.exhausted, errHung)
	}
	f.spent += time.Since(began)
	return value
}

// Mappings returns the executable mappings of a process; none of a thread of the kernel. The error is that of /proc/PID: the
// process has ended, or belongs to another user.
func Mappings(pid int) ([]Mapping, error) {
	file, err := os.Open(process.Folder(pid) + "/maps")
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	mappings, err := ParseMaps(file)
	if err == nil && len(mappings) == 0 && !process.Lives(pid) {
		err = unix.ESRCH // it was not reaped yet
	}
	return mappings, err
}

// Names returns what is known of addresses of a process; an address that it does not map has no entry.
func (f *Files) Names(pid int, addresses []uint64) map[uint64]Frame {
	return timed(f, func() map[uint64]Frame { return f.read(pid, addresses) })
}

func (f *Files) read(pid int, addresses []uint64) map[uint64]Frame {
	mappings, err := Mappings(pid)
	if err != nil {
		debuglog.Printf("symbols", "process %d: %v", pid, err)
	}
	in := map[Mapping][]uint64{}
	for _, address := range addresses {
		if m, ok := mappingAt(mappings, address); ok {
			in[m] = append(in[m], address)
		}
	}
	frames := map[uint64]Frame{}
	var others []uint64 // compilers write into memory without a file, of a memfd or of a removed file
	for m, addresses := range in {
		module := shortened(m.Base())
		if m.Inode == 0 && !strings.HasPrefix(m.Path, "[") {
			module = ""
		}
		names, err := f.namesIn(pid, m, addresses)
		if err != nil {
			debuglog.Printf("symbols", "process %d: %s: %v", pid, m.Path, err)
			others = append(others, addresses...)
		}
		for _, address := range addresses {
			frames[address] = Frame{names[address], module}
		}
	}
	if len(others) == 0 {
		return frames
	}
	compiled, err := compiledIn(pid, others)
	if err != nil {
		debuglog.Printf("symbols", "process %d: list of compiled functions: %v", pid, err)
	}
	for address, name := range compiled {
		frames[address] = Frame{name, JIT}
	}
	return frames
}

var errNoFile = errors.New("memory without a file")

// namesIn returns the names of addresses in a mapping. The error is that there is no file, or none with functions.
func (f *Files) namesIn(pid int, m Mapping, addresses []uint64) (names map[uint64]string, err error) {
	names = map[uint64]string{}
	if m.Path == "[vdso]" {
		for _, address := range addresses {
			names[address] = vdso.NameAt(m.Start, address)
		}
		return names, nil
	}
	file, id, err := openMapped(pid, m)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var unknown []uint64
	known := func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, address := range addresses {
			offset := address - m.Start + m.Offset
			name, ok := f.names[place{id, offset}]
			if names[address] = name; !ok {
				unknown = append(unknown, offset)
			}
		}
	}
	if known(); len(unknown) == 0 {
		return names, nil
	}
	found, err := namesAt(file, id.size, unknown)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	if f.names == nil {
		f.names = map[place]string{}
	}
	for _, offset := range unknown {
		f.names[place{id, offset}] = found[offset]
	}
	f.mu.Unlock()
	known()
	return names, nil
}

// Defines reports whether the file of a mapping of a process has a function with one of these names.
func (f *Files) Defines(pid int, m Mapping, names []string) bool {
	return timed(f, func() bool {
		file, id, err := openMapped(pid, m)
		if err != nil {
			return false
		}
		defer func() { _ = file.Close() }()
		defines, _ := Defines(file, id.size, names)
		return defines
	})
}

// openMapped opens the file of a mapping, by its path in the root of the process, whose mount namespace may be another one than
// ours. If it has no path any more it does so by the links of the kernel: map_files, which takes root, and exe. A file
// with another inode than the mapping is not it.
func openMapped(pid int, m Mapping) (file *os.File, id fileID, err error) {
	if m.Inode == 0 {
		return nil, id, errNoFile
	}
	sameInode := func(stat *unix.Stat_t) error {
		if stat.Ino != m.Inode {
			return errors.New("another file is there now")
		}
		return nil
	}
	file, id, err = openInRoot(pid, m.Path, sameInode)
	for _, link := range []string{fmt.Sprintf("/map_files/%x-%x", m.Start, m.End), "/exe"} {
		if err != nil {
			file, id, err = openRegular(nil, process.Folder(pid)+link, sameInode)
		}
	}
	return file, id, err
}

// openInRoot opens a regular file by its path in the root of a process. Symbolic links do not lead out of the root.
func openInRoot(pid int, path string, accept func(*unix.Stat_t) error) (*os.File, fileID, error) {
	root, err := os.OpenRoot(process.Folder(pid) + "/root")
	if err != nil {
		return nil, fileID{}, fmt.Errorf("root of the process: %w", err)
	}
	defer func() { _ = root.Close() }()
	return openRegular(root, strings.TrimLeft(path, "/"), accept)
}

// openRegular is [procfile.OpenIn], and returns the identity of the file too.
func openRegular(root *os.Root, path string, accept func(*unix.Stat_t) error) (file *os.File, id fileID, err error) {
	file, err = procfile.OpenIn(root, path, func(stat *unix.Stat_t) error {
		id = fileID{device: stat.Dev, inode: stat.Ino, size: stat.Size, modified: stat.Mtim}
		return accept(stat)
	})
	return file, id, err
}

// compiledIn returns the names of addresses by the list that the just-in-time compiler of a process writes. The compiler names
// the list after the PID that it sees, in its own /tmp. Anybody may write to /tmp, so a list counts only if it belongs to the
// user of the process, or to root.
func compiledIn(pid int, addresses []uint64) (map[uint64]string, error) {
	status, err := process.StatusOf(pid)
	if err != nil {
		return nil, err
	}
	file, id, err := openInRoot(pid, perfMapPath(cmp.Or(status.Inner, pid)), func(stat *unix.Stat_t) error {
		if stat.Uid != status.User && stat.Uid != 0 {
			return fmt.Errorf("it belongs to another user, %d", stat.Uid)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return compiledAt(file, id.size, addresses)
}

func perfMapPath(pid int) string { return fmt.Sprintf("/tmp/perf-%d.map", pid) }
