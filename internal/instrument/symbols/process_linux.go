package symbols

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/clock/vdso"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/process"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

const (
	// maxTime bounds the time to read the files of all processes.
	maxTime = 10 * time.Second
	// maxPerfMap bounds the bytes that are read of a list of compiled functions.
	maxPerfMap = 64 << 20
)

// A Reader reads processes and their files. The time that this takes has a bound: see [Reader.Exhausted]. The zero
// value is ready to use, by one goroutine.
type Reader struct {
	spent     time.Duration
	exhausted error
}

// Exhausted returns why some functions have no name: reading files took longer than allowed. It returns nil if it did
// not.
func (r *Reader) Exhausted() error { return r.exhausted }

// bounded returns the value and the error of read. If read takes more time than is left, the error says so. Then read
// goes on, so it must not touch the caller's data.
func bounded[T any](r *Reader, read func() (T, error)) (value T, err error) {
	if r.exhausted != nil {
		return value, r.exhausted
	}
	type result struct {
		value T
		err   error
	}
	began := time.Now()
	in, inTime := process.InTime(func() (in result) {
		in.value, in.err = read()
		return in
	})
	if !inTime {
		r.exhausted = errors.New("a file with symbols could not be read in time, such as one of a file system that does not answer")
		return value, r.exhausted
	}
	if r.spent += time.Since(began); r.spent > maxTime {
		r.exhausted = fmt.Errorf("reading the symbols of all programs takes more than %v", maxTime)
	}
	return in.value, in.err
}

// A Process names the addresses of a process.
type Process struct {
	reader *Reader
	id     process.ID
	status process.Status
}

// A Frame is the function and the module at an address.
type Frame struct {
	// Function is the name of the function; empty if it is unknown.
	Function string
	// Module is the base name of the file: libc.so.6. Memory without a file has the name that the kernel gives it, such
	// as [vdso] or [heap]. It is empty if the memory is unknown.
	Module string
}

// JIT stands for the module of functions that a just-in-time compiler made.
const JIT = "JIT"

// Process returns a running process. The error says why /proc/PID cannot be read: the process has ended, or belongs to
// another user.
func (r *Reader) Process(pid int) (*Process, error) {
	stat, err := process.Stat(pid)
	if err != nil {
		return nil, err
	}
	status, err := process.StatusOf(pid)
	return &Process{r, process.Of(stat), status}, err
}

// Mappings returns the executable mappings that the process has now.
func (p *Process) Mappings() ([]Mapping, error) {
	return bounded(p.reader, func() ([]Mapping, error) { return mappingsOf(p.id) })
}

func mappingsOf(of process.ID) ([]Mapping, error) {
	if err := of.Check(); err != nil {
		return nil, err
	}
	return MappingsIn(process.Folder(of.PID))
}

// MappingsIn returns the executable mappings of the process with this folder in /proc. The list is empty for a kernel
// thread and for a zombie.
func MappingsIn(folder string) ([]Mapping, error) {
	file, err := os.Open(folder + "/maps")
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return ParseMaps(file)
}

// Read returns the beginning of a file in the folder of the process in /proc; empty if it cannot be read.
func (p *Process) Read(name string) string {
	text, err := bounded(p.reader, func() ([]byte, error) { return procfile.Read(process.Folder(p.id.PID) + "/" + name) })
	p.log(name, err)
	return string(text)
}

// Defines reports whether the file of a mapping is a library with one of these functions.
func (p *Process) Defines(m Mapping, names []string) bool {
	defines, err := bounded(p.reader, func() (bool, error) {
		file, err := openMapped(p.id, m)
		if err != nil {
			return false, err
		}
		defer func() { _ = file.Close() }()
		return Defines(file, names)
	})
	p.log(m.Path, err)
	return defines
}

// Names returns the function and the module at addresses of the process, without the functions of a just-in-time
// compiler. The error says that the process has ended, or that the time is spent.
func (p *Process) Names(addresses []uint64) ([]Frame, error) {
	return bounded(p.reader, func() ([]Frame, error) {
		mappings, err := mappingsOf(p.id)
		if err != nil {
			return nil, err
		}
		frames := make([]Frame, len(addresses))
		inFile := map[string][]int{} // addresses by their file
		for i, address := range addresses {
			m, ok := mappingAt(mappings, address)
			switch {
			case !ok:
			case m.Path == "[vdso]":
				frames[i] = Frame{vdso.NameAt(m.Start, address), m.Path}
			case m.Inode != 0:
				inFile[m.file()] = append(inFile[m.file()], i)
			case strings.HasPrefix(m.Path, "["):
				frames[i].Module = shortened(m.Path)
			}
		}
		for _, in := range inFile {
			p.nameIn(mappings, addresses, in, frames)
		}
		return frames, nil
	})
}

// nameIn sets the frames of some addresses, by their positions, that are in one file.
func (p *Process) nameIn(mappings []Mapping, addresses []uint64, some []int, frames []Frame) {
	var m Mapping
	offsets := make([]uint64, len(some))
	for i, of := range some {
		m, _ = mappingAt(mappings, addresses[of])
		offsets[i] = addresses[of] - m.Start + m.Offset
		frames[of].Module = shortened(m.Base())
	}
	file, err := openMapped(p.id, m)
	if err != nil {
		p.log(m.Path, err)
		return
	}
	defer func() { _ = file.Close() }()
	names, err := Names(file, offsets)
	p.log(m.Path, err)
	for i, name := range names {
		frames[some[i]].Function = name
	}
}

func (p *Process) log(path string, err error) {
	if err != nil {
		debuglog.Printf("symbols", "process %d: %s: %v", p.id.PID, path, err)
	}
}

var errOther = errors.New("another file is there now")

// openMapped opens the file of a mapping: by the link of the kernel in map_files, which needs root; by the path in the
// root of the process, whose mount namespace may be another one than ours; or by the link exe, for a user's program
// that was removed. A file with another inode than the mapping is rejected. The link exe is the last, because a library
// on another file system can have the inode of the program.
func openMapped(of process.ID, m Mapping) (file *os.File, err error) {
	sameInode := func(stat *unix.Stat_t) error {
		if stat.Ino != m.Inode {
			return errOther
		}
		return nil
	}
	folder := process.Folder(of.PID)
	mapped := fmt.Sprintf("%s/map_files/%x-%x", folder, m.Start, m.End)
	if file, err = procfile.OpenAt(unix.AT_FDCWD, mapped, 0, 0, sameInode); err == nil {
		return file, nil
	}
	if file, err = openInRoot(folder, m.Path, sameInode); err == nil {
		return file, nil
	}
	return procfile.OpenAt(unix.AT_FDCWD, folder+"/exe", 0, 0, sameInode)
}

// openInRoot opens a regular file by its path in the root of a process, whose folder in /proc is given. Symbolic links
// are resolved as in the process.
func openInRoot(folder, path string, accept func(*unix.Stat_t) error) (*os.File, error) {
	root, err := unix.Open(folder+"/root", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("root of the process: %w", err)
	}
	defer func() { _ = unix.Close(root) }()
	path = strings.TrimLeft(path, "/")
	return procfile.OpenAt(root, path, unix.O_NOFOLLOW, unix.RESOLVE_IN_ROOT|unix.RESOLVE_NO_MAGICLINKS, accept)
}

// CompiledNames returns the names that the just-in-time compiler of the process gave to functions at addresses, also if
// the process has ended: see the function [CompiledNames]. Of a long list only the end is read, which has the latest
// names.
func (p *Process) CompiledNames(addresses []uint64) ([]string, error) {
	return bounded(p.reader, func() ([]string, error) {
		file, err := p.openPerfMap()
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		stat, err := file.Stat()
		if err != nil {
			return nil, err
		}
		return CompiledNames(io.NewSectionReader(file, max(0, stat.Size()-maxPerfMap), maxPerfMap), addresses)
	})
}

// openPerfMap opens the list that the just-in-time compiler of the process writes. The compiler names the list after
// the PID that it sees, in its own /tmp. Anybody may write to /tmp, so a list counts only if it belongs to the user of
// the process, or to root. A compiler may write its list at the end of the process, which is then in our own /tmp.
func (p *Process) openPerfMap() (file *os.File, err error) {
	trusted := func(stat *unix.Stat_t) error {
		if stat.Uid != p.status.User && stat.Uid != 0 {
			return fmt.Errorf("it belongs to another user, %d", stat.Uid)
		}
		return nil
	}
	if err = p.id.Check(); err == nil {
		file, err = openInRoot(process.Folder(p.id.PID), perfMapPath(cmp.Or(p.status.Inner, p.id.PID)), trusted)
	}
	if err != nil {
		file, err = procfile.OpenAt(unix.AT_FDCWD, perfMapPath(p.id.PID), unix.O_NOFOLLOW, 0, trusted)
	}
	return file, err
}

func perfMapPath(pid int) string { return fmt.Sprintf("/tmp/perf-%d.map", pid) }

// file identifies the file within its process.
func (m Mapping) file() string { return fmt.Sprint(m.Inode, " ", m.Path) }
