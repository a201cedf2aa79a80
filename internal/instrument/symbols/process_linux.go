package symbols

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/clock/vdso"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/process"
	"golang.org/x/sys/unix"
)

// A Process names the addresses of a running process.
//
// The files of a process are read when an address within them is named for the first time. After the process has ended, the
// names of files read before remain.
type Process struct {
	files    *Files
	id       process.ID
	status   process.Status
	mappings []Mapping
	held     int64               // bytes of memory that the mappings take
	found    map[identity]fileID // the files of mappings; zero if the file cannot be read
	compiled fileID              // the list of a just-in-time compiler; zero if there is none
	current  bool                // compiled was looked for
}

// A Frame is what is known of an address.
type Frame struct {
	// Function is the name of the function; empty if it is unknown.
	Function string
	// Module is the base name of the file: libc.so.6. Memory without a file has the name that the kernel gives it,
	// such as [vdso] or [heap]. It is "JIT" if a just-in-time compiler named the function, and empty
	// if nothing is known.
	Module string
}

// JIT is the module of functions that a just-in-time compiler made.
const JIT = "JIT"

// An identity tells the files that a process has mapped.
type identity struct {
	device string
	inode  uint64
	path   string
}

// Open reads the mappings of a process, whose tables are kept in f. Close it after use. The error is that of /proc/PID: the
// process has ended, or belongs to another user; or it is that of [Files.Exhausted].
func (f *Files) Open(pid int) (*Process, error) {
	if _, err := f.spend(0); err != nil {
		return nil, err
	}
	began := time.Now()
	defer func() { _, _ = f.spend(time.Since(began)) }()
	stat, err := process.Stat(pid)
	if err != nil {
		return nil, err
	}
	p := &Process{files: f, id: process.Of(stat), found: make(map[identity]fileID)}
	if err := p.Refresh(); err != nil {
		return nil, err
	}
	return p, nil
}

// Refresh reads the mappings again, and the functions of a just-in-time compiler when one is next asked for.
// If it fails, what was known remains.
func (p *Process) Refresh() error {
	if err := p.id.Check(); err != nil {
		return err
	}
	status, err := process.StatusOf(p.id.PID)
	if err != nil {
		return err
	}
	if err := p.readMappings(); err != nil {
		return fmt.Errorf("process %d: %w", p.id.PID, err)
	}
	p.status, p.current = status, false
	maps.DeleteFunc(p.found, func(_ identity, id fileID) bool { return id == fileID{} })
	return nil
}

// readMappings replaces the mappings by those of now. If it fails, those of before remain.
func (p *Process) readMappings() error {
	file, err := os.Open(process.Folder(p.id.PID) + "/maps")
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	mappings, err := ParseMaps(file)
	if err != nil {
		return err
	}
	const each = 128 // bytes of memory, about; of several mappings in a row the path is kept once
	size := each * int64(len(mappings))
	for i, m := range mappings {
		if i == 0 || mappings[i-1].Path != m.Path {
			size += int64(len(m.Path))
		}
	}
	if err := p.files.reserve(size); err != nil {
		return err
	}
	p.files.release(p.held)
	p.mappings, p.held = mappings, size
	return nil
}

// Close ends the use of the process. Afterwards Name knows nothing.
func (p *Process) Close() {
	p.files.release(p.held)
	p.mappings, p.held = nil, 0
}

// Mappings returns the executable mappings of the process, as Open or Refresh read them.
func (p *Process) Mappings() []Mapping { return p.mappings }

// Name returns the function and the module of an address of the process.
func (p *Process) Name(addr uint64) Frame {
	m, ok := mappingAt(p.mappings, addr)
	if !ok {
		return Frame{}
	}
	module := shortened(m.Base())
	if m.Path == "[vdso]" {
		return Frame{vdso.NameAt(m.Start, addr), module}
	}
	if table := p.table(m); table != nil {
		function := ""
		if address, ok := table.Address(m, addr); ok {
			function, _ = table.Lookup(address)
		}
		return Frame{function, module}
	}
	// Compilers write into memory without a file, of a memfd or of a removed file.
	if table := p.justInTime(); table != nil {
		if function, ok := table.Lookup(addr); ok {
			return Frame{function, JIT}
		}
	}
	if m.Inode == 0 && !strings.HasPrefix(m.Path, "[") {
		module = ""
	}
	return Frame{"", module}
}

// Defines reports whether the file of a mapping has a function with one of these names.
func (p *Process) Defines(m Mapping, names []string) bool {
	table := p.table(m)
	return table != nil && table.HasAny(names)
}

func (p *Process) table(m Mapping) *Table {
	identity := identity{m.Device, m.Inode, m.Path}
	id, searched := p.found[identity]
	if m.Inode == 0 || searched && id == (fileID{}) {
		return nil
	}
	if table, ok := p.files.known(id); ok {
		return table
	}
	process := p.id
	id, table, err := p.files.read(func() (*os.File, fileID, error) { return openMapped(process, m) })
	if err != nil {
		debuglog.Printf("symbols", "process %d: %s: %v", p.id.PID, m.Path, err)
	}
	p.found[identity] = id
	return table
}

var errOther = errors.New("another file is there now")

// openMapped opens the file of a mapping. It tries, in this order:
//
//   - the path in the root of the process, whose mount namespace may be another one than ours;
//   - the links of the kernel to a file that has no path any more: map_files, which takes root, and exe;
//   - the path in our own root, for a process that has ended or uses chroot(2).
//
// A file with another inode than the mapping is not it.
func openMapped(of process.ID, m Mapping) (file *os.File, id fileID, err error) {
	sameInode := func(stat *unix.Stat_t) error {
		if stat.Ino != m.Inode {
			return errOther
		}
		return nil
	}
	// In another mount namespace the same inode may be of another file. Not so on the same device.
	sameFile := func(stat *unix.Stat_t) error {
		if m.Device != fmt.Sprintf("%02x:%02x", unix.Major(stat.Dev), unix.Minor(stat.Dev)) {
			return errOther
		}
		return sameInode(stat)
	}
	path := m.Path
	if m.Deleted {
		path += " (deleted)" // may be a part of the name
	}
	if err = of.Check(); err == nil {
		folder := process.Folder(of.PID)
		if file, id, err = openInRoot(folder, path, sameInode); err == nil {
			return file, id, nil
		}
		for _, link := range []string{fmt.Sprintf("/map_files/%x-%x", m.Start, m.End), "/exe"} {
			if file, id, err = openRegular(unix.AT_FDCWD, folder+link, 0, 0, sameInode); err == nil {
				return file, id, nil
			}
		}
	}
	return openRegular(unix.AT_FDCWD, path, unix.O_NOFOLLOW, 0, sameFile)
}

// openInRoot opens a regular file by its path in the root of a process, whose folder in /proc is given. Symbolic
// links mean what they mean to the process.
func openInRoot(folder, path string, accept func(*unix.Stat_t) error) (*os.File, fileID, error) {
	root, err := unix.Open(folder+"/root", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fileID{}, fmt.Errorf("root of the process: %w", err)
	}
	defer func() { _ = unix.Close(root) }()
	path = strings.TrimLeft(path, "/")
	return openRegular(root, path, unix.O_NOFOLLOW, unix.RESOLVE_IN_ROOT|unix.RESOLVE_NO_MAGICLINKS, accept)
}

func (p *Process) justInTime() *Table {
	table, ok := p.files.known(p.compiled)
	if p.current && (ok || p.compiled == fileID{}) {
		return table
	}
	p.current = true
	process, status := p.id, p.status
	id, read, err := p.files.read(func() (*os.File, fileID, error) { return openPerfMap(process, status) })
	if err == nil {
		p.compiled = id
		return read
	}
	// Of a process that has ended, and of one that has removed its list, what was known remains.
	debuglog.Printf("symbols", "process %d: list of compiled functions: %v", p.id.PID, err)
	if !ok {
		p.compiled = fileID{}
	}
	return table
}

// readPerfMap reads the list, of a long one the end: it has the latest functions.
func readPerfMap(file io.ReaderAt, size int64, reserve func(int64) error) (*Table, error) {
	if err := reserve(perfMapMemory(size)); err != nil {
		return nil, err
	}
	length := min(size, maxPerfMap)
	return ParsePerfMap(io.NewSectionReader(file, size-length, length), length)
}

// openPerfMap opens the list that the just-in-time compiler of a process writes. The compiler names the list after the
// PID that it sees, in its own /tmp. Anybody may write to /tmp, so a list counts only if it belongs to the user
// of the process, or to root. A compiler may write its list at the end of the process, which is then in our own /tmp.
func openPerfMap(of process.ID, status process.Status) (file *os.File, id fileID, err error) {
	trusted := func(stat *unix.Stat_t) error {
		if stat.Uid != status.User && stat.Uid != 0 {
			return fmt.Errorf("it belongs to another user, %d", stat.Uid)
		}
		return nil
	}
	if err = of.Check(); err == nil {
		file, id, err = openInRoot(process.Folder(of.PID), perfMapPath(cmp.Or(status.Inner, of.PID)), trusted)
	}
	if err != nil {
		file, id, err = openRegular(unix.AT_FDCWD, perfMapPath(of.PID), unix.O_NOFOLLOW, 0, trusted)
	}
	id.compiled = true
	return file, id, err
}

func perfMapPath(pid int) string { return fmt.Sprintf("/tmp/perf-%d.map", pid) }

// perfMapMemory returns how many bytes of memory it takes at most to read a list of size bytes.
func perfMapMemory(size int64) int64 {
	const eachFunction = 2*functionSize + 3*8 + 1 + 2*8 // and three positions and a bool in latest, and two that its heap takes as any
	size = min(size, maxPerfMap)
	return size + eachFunction*mostCompiled(size)
}
