package symbols

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

// A Process names the addresses of a running process. Its methods may be called at once from several
// goroutines.
//
// The files of a process are read when an address within them is named for the first time. After the process has ended, the
// names of files read before remain.
type Process struct {
	files   *Files
	pid     int
	started string // the start time of the process, in clock ticks since boot, which tells it from a later one of the same PID
	owner   owner

	mu       sync.Mutex
	closed   bool
	mappings []Mapping
	found    map[identity]lookup
	vdso     map[Mapping]*Table
	held     int64  // bytes of files that the mappings take
	compiled fileID // the list of a just-in-time compiler; zero if there is none
	current  bool   // compiled was looked for
}

// A Frame is what is known of an address.
type Frame struct {
	// Function is the name of the function; empty if it is unknown.
	Function string
	// Module is the base name of the file: libc.so.6. Memory without a file has the name that the kernel gives it,
	// such as [vdso], [vsyscall] or [heap]. It is "JIT" if a just-in-time compiler named the function, and empty
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

func identityOf(m Mapping) identity { return identity{m.Device, m.Inode, m.Path} }

// A lookup is how the search for a mapping's file ended.
type lookup struct {
	id    fileID
	found bool
}

// Open reads the mappings of a process. It shares no tables with other processes; [Files.Open] does.
func Open(pid int) (*Process, error) { return new(Files).Open(pid) }

// Open reads the mappings of a process, whose tables are kept in f. Close it after use. The error is that of /proc/PID: the
// process has ended, or belongs to another user; or it is that of [Files.Exhausted].
func (f *Files) Open(pid int) (*Process, error) {
	if _, err := f.spend(0); err != nil {
		return nil, err
	}
	began := time.Now()
	defer func() { _, _ = f.spend(time.Since(began)) }()
	folder, started, err := openProcess(pid)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(folder) }()
	p := &Process{files: f, pid: pid, started: started, found: make(map[identity]lookup), vdso: make(map[Mapping]*Table)}
	if p.owner, err = readOwner(folder); err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	if err := p.readMappings(folder); err != nil {
		return nil, err
	}
	return p, nil
}

var errEnded = errors.New("the process has ended")

// openSame opens the folder of a process in /proc. It fails if another process has the PID by now.
func openSame(pid int, started string) (folder int, err error) {
	folder, now, err := openProcess(pid)
	if err != nil {
		return -1, err
	}
	if now != started {
		_ = unix.Close(folder)
		return -1, fmt.Errorf("process %d: %w", pid, errEnded)
	}
	return folder, nil
}

// openProcess opens the folder of a process in /proc, and returns the start time of the process. A folder belongs to
// one process: after its end, it is empty.
func openProcess(pid int) (folder int, started string, err error) {
	wrong := func(err error) error {
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH) {
			err = errEnded
		}
		return fmt.Errorf("process %d: %w", pid, err)
	}
	folder, err = unix.Open("/proc/"+strconv.Itoa(pid), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, "", wrong(err)
	}
	stat, err := readSmall(folder, "stat")
	if err != nil {
		_ = unix.Close(folder)
		return -1, "", wrong(err)
	}
	// The name of the program, in parentheses, may contain anything (proc_pid_stat(5)).
	const state, startTime = 0, 22 - 3
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) <= startTime {
		_ = unix.Close(folder)
		return -1, "", fmt.Errorf("process %d: /proc/%d/stat has %d fields after the name; want more than %d", pid, pid, len(fields), startTime)
	}
	if fields[state] == "Z" {
		if thread, err := openThread(folder); err == nil {
			_ = unix.Close(folder)
			folder = thread
		}
	}
	return folder, fields[startTime], nil
}

// openThread opens the folder of a thread that has memory, of a process whose first thread ended: what the folder of the
// process has of the first thread is empty then. It has the same files but map_files.
func openThread(process int) (folder int, err error) {
	tasks, err := openAt(process, "task")
	if err != nil {
		return -1, err
	}
	defer func() { _ = tasks.Close() }()
	threads, err := tasks.Readdirnames(-1)
	if err != nil {
		return -1, err
	}
	for _, tid := range threads {
		thread, err := unix.Openat(process, "task/"+tid, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // it ended
		}
		if maps, err := readSmall(thread, "maps"); err == nil && maps != "" {
			return thread, nil
		}
		_ = unix.Close(thread)
	}
	return -1, errEnded
}

// readSmall returns the contents of a file of the kernel.
func readSmall(folder int, name string) (string, error) {
	const bound = 64 << 10
	file, err := openAt(folder, name)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, bound))
	return string(text), err
}

func openAt(folder int, name string) (*os.File, error) {
	fd, err := unix.Openat(folder, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// readMappings replaces the mappings by those of now. If it fails, those of before remain.
func (p *Process) readMappings(folder int) error {
	maps, err := openAt(folder, "maps")
	if err != nil {
		return fmt.Errorf("process %d: maps: %w", p.pid, err)
	}
	defer func() { _ = maps.Close() }()
	mappings, err := ParseMaps(maps)
	if err != nil {
		return fmt.Errorf("process %d: %w", p.pid, err)
	}
	size := sizeOf(mappings)
	if err := p.files.reserve(size); err != nil {
		return fmt.Errorf("process %d: %w", p.pid, err)
	}
	p.files.release(p.held)
	p.mappings, p.held = mappings, size
	return nil
}

// Refresh reads the mappings again, and the functions of a just-in-time compiler when one is next asked for.
// If it fails, what was known remains.
func (p *Process) Refresh() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return fmt.Errorf("process %d: %w", p.pid, os.ErrClosed)
	}
	folder, err := openSame(p.pid, p.started)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(folder) }()
	if err := p.readMappings(folder); err != nil {
		return err
	}
	p.current = false
	for identity, lookup := range p.found {
		if !lookup.found {
			delete(p.found, identity)
		}
	}
	clear(p.vdso)
	return nil
}

// Close ends the use of the process. No descriptor is open between calls. Afterwards Name knows nothing.
func (p *Process) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files.release(p.held)
	p.closed, p.current, p.held = true, true, 0
	p.mappings, p.found, p.vdso, p.compiled = nil, nil, nil, fileID{}
}

// Mappings returns the executable mappings of the process, as Open or Refresh read them.
func (p *Process) Mappings() []Mapping {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mappings
}

// Name returns the function and the module of an address of the process.
func (p *Process) Name(addr uint64) Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	m, ok := mappingAt(p.mappings, addr)
	if !ok {
		return Frame{}
	}
	module := shortened(m.Base())
	if table := p.table(m); table != nil {
		if address, ok := table.Address(m, addr); ok {
			function, _ := table.Lookup(address)
			return Frame{function, module}
		}
		return Frame{"", module}
	}
	if m.Path == vsyscall {
		return Frame{vsyscallFunction(addr - m.Start), module}
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
	p.mu.Lock()
	defer p.mu.Unlock()
	table := p.table(m)
	return table != nil && table.HasAny(names)
}

const vsyscall = "[vsyscall]"

// vsyscallFunction returns the function at an offset of the page vsyscall of x86-64, which is the same in each kernel
// (arch/x86/entry/vsyscall/vsyscall_emu_64.S).
func vsyscallFunction(offset uint64) string {
	const slot = 1024
	functions := []string{"gettimeofday", "time", "getcpu"}
	if offset/slot < uint64(len(functions)) {
		return functions[offset/slot]
	}
	return ""
}

// table returns the functions of a mapping's file, or nil.
func (p *Process) table(m Mapping) *Table {
	if m.Path == vdsoName {
		return p.vdsoTable(m)
	}
	if m.Inode == 0 {
		return nil
	}
	known, searched := p.found[identityOf(m)]
	if searched && !known.found {
		return nil
	}
	if searched {
		if table, ok := p.files.known(known.id); ok {
			return table
		}
	}
	files, pid, started := p.files, p.pid, p.started
	type result struct {
		table *Table
		id    fileID
	}
	results := make(chan result, 1)
	err := files.inTime(m.Device, func() error {
		file, id, err := openMapped(pid, started, m)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		results <- result{files.read(file, id), id}
		return nil
	})
	if err != nil {
		debuglog.Printf("symbols", "process %d: %s: %v", p.pid, m.Path, err)
		p.found[identityOf(m)] = lookup{}
		return nil
	}
	r := <-results
	p.found[identityOf(m)] = lookup{r.id, true}
	return r.table
}

var errOther = errors.New("another file is there now")

// openMapped opens the file of a mapping. It tries, in this order:
//
//   - the path in the root of the process, whose mount namespace may be another one than ours;
//   - the links of the kernel to a file that has no path any more: map_files, which takes root, and exe;
//   - the path in our own root, for a process that has ended or uses chroot(2).
//
// A file with another inode than the mapping is not it.
func openMapped(pid int, started string, m Mapping) (*os.File, fileID, error) {
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
	folder, err := openSame(pid, started)
	if err == nil {
		defer func() { _ = unix.Close(folder) }()
		file, id, rootErr := openInRoot(folder, path, sameInode)
		if rootErr == nil {
			return file, id, nil
		}
		err = rootErr
		for _, link := range []string{fmt.Sprintf("map_files/%x-%x", m.Start, m.End), "exe"} {
			file, id, linkErr := openRegular(folder, link, 0, 0, sameInode)
			if linkErr == nil {
				return file, id, nil
			}
			err = errors.Join(err, linkErr)
		}
	}
	file, id, ownErr := openRegular(unix.AT_FDCWD, path, unix.O_NOFOLLOW, 0, sameFile)
	if ownErr != nil {
		return nil, fileID{}, errors.Join(err, ownErr)
	}
	return file, id, nil
}

// openInRoot opens a regular file by its path in the root of a process, whose folder in /proc is given. Symbolic
// links mean what they mean to the process.
func openInRoot(folder int, path string, accept func(*unix.Stat_t) error) (*os.File, fileID, error) {
	root, err := unix.Openat(folder, "root", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fileID{}, fmt.Errorf("root of the process: %w", err)
	}
	defer func() { _ = unix.Close(root) }()
	path = strings.TrimLeft(path, "/")
	return openRegular(root, path, unix.O_NOFOLLOW, unix.RESOLVE_IN_ROOT|unix.RESOLVE_NO_MAGICLINKS, accept)
}

// justInTime returns the functions of the process's just-in-time compiler, or nil.
func (p *Process) justInTime() *Table {
	if table, ok := p.files.known(p.compiled); p.current && (ok || p.compiled == fileID{}) {
		return table
	}
	p.current = true
	files, pid, started, owner := p.files, p.pid, p.started, p.owner
	type result struct {
		table *Table
		id    fileID
	}
	results := make(chan result, 1)
	err := files.inTime("process "+strconv.Itoa(p.pid), func() error {
		file, id, err := openPerfMap(pid, started, owner)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		id.compiled = true
		results <- result{files.read(file, id), id}
		return nil
	})
	if err != nil {
		// Of a process that has ended, and of one that has removed its list, what was known remains.
		debuglog.Printf("symbols", "process %d: list of compiled functions: %v", p.pid, err)
		table, _ := files.known(p.compiled)
		return table
	}
	r := <-results
	p.compiled = r.id
	return r.table
}

// readPerfMap reads the list, of a long one the end: it has the latest functions.
func readPerfMap(file io.ReaderAt, size int64, reserve func(int64) error) (*Table, error) {
	if err := reserve(perfMapMemory(size)); err != nil {
		return nil, err
	}
	length := min(size, maxPerfMap)
	return ParsePerfMap(io.NewSectionReader(file, size-length, length), length)
}

var errOwner = errors.New("it belongs to another user")

// openPerfMap opens the list that the just-in-time compiler of a process writes. The compiler names the list after the
// PID that it sees, in its own /tmp. Anybody may write to /tmp, so a list counts only if it belongs to the user
// of the process, or to root. opened is the owner of the process when it was opened: a compiler may write its list at the end
// of the process.
func openPerfMap(pid int, started string, opened owner) (*os.File, fileID, error) {
	current := opened
	folder, err := openSame(pid, started)
	if err == nil {
		defer func() { _ = unix.Close(folder) }()
		if current, err = readOwner(folder); err != nil {
			return nil, fileID{}, err
		}
	}
	trusted := func(stat *unix.Stat_t) error {
		if stat.Uid != current.user && stat.Uid != 0 {
			return fmt.Errorf("%w, %d", errOwner, stat.Uid)
		}
		return nil
	}
	if err == nil {
		inner := current.pid
		if inner == 0 {
			inner = pid
		}
		file, id, rootErr := openInRoot(folder, perfMapPath(inner), trusted)
		if rootErr == nil {
			return file, id, nil
		}
		err = rootErr
	}
	file, id, ownErr := openRegular(unix.AT_FDCWD, perfMapPath(pid), unix.O_NOFOLLOW, 0, trusted)
	if ownErr != nil {
		return nil, fileID{}, errors.Join(err, ownErr)
	}
	return file, id, nil
}

func perfMapPath(pid int) string { return fmt.Sprintf("/tmp/perf-%d.map", pid) }

// An owner is the effective user of a process, and its PID in the innermost namespace; 0 if the kernel does not tell it.
type owner struct {
	user uint32
	pid  int
}

func readOwner(folder int) (owner, error) {
	status, err := readSmall(folder, "status")
	if err != nil {
		return owner{}, err
	}
	return parseStatus(status)
}

// parseStatus reads the owner from /proc/PID/status of proc_pid_status(5).
func parseStatus(status string) (owner, error) {
	var o owner
	err := errors.New("/proc/PID/status: no user; want a line Uid: REAL EFFECTIVE SAVED FILESYSTEM")
	for line := range strings.Lines(status) {
		name, values, _ := strings.Cut(line, ":")
		fields := strings.Fields(values)
		switch {
		case name == "Uid" && len(fields) > 1:
			var effective uint64
			effective, err = strconv.ParseUint(fields[1], 10, 32)
			o.user = uint32(effective)
		case name == "NStgid" && len(fields) > 0:
			o.pid, _ = strconv.Atoi(fields[len(fields)-1])
		}
	}
	return o, err
}

const vdsoName = "[vdso]"

// maxVDSO bounds the size of a vDSO, in bytes. Real ones have some pages.
const maxVDSO = 1 << 20

// vdsoTable returns the functions of the process's vDSO, or nil.
func (p *Process) vdsoTable(m Mapping) *Table {
	if table, ok := p.vdso[m]; ok {
		return table
	}
	own, ownTable := ownVDSO()
	table := ownTable
	if !isSameVDSO(own, m) {
		var err error
		if table, err = p.readVDSO(m); err != nil {
			debuglog.Printf("symbols", "process %d: vDSO: %v", p.pid, err)
		}
	}
	p.vdso[m] = table
	return table
}

// isSameVDSO reports whether two processes have the same vDSO. A kernel has one for 64-bit processes, and another for
// 32-bit ones, whose addresses are below 4 GiB.
func isSameVDSO(a, b Mapping) bool {
	return a.End-a.Start == b.End-b.Start && (a.Start>>32 == 0) == (b.Start>>32 == 0)
}

// ownVDSO returns the mapping of this process's vDSO and its functions. Its image can be read without any
// privilege, unlike that of another process.
var ownVDSO = sync.OnceValues(func() (Mapping, *Table) {
	self, err := Open(os.Getpid())
	if err != nil {
		debuglog.Printf("symbols", "own vDSO: %v", err)
		return Mapping{}, nil
	}
	for _, m := range self.mappings {
		if m.Path == vdsoName {
			table, err := self.readVDSO(m)
			if err != nil {
				debuglog.Printf("symbols", "own vDSO: %v", err)
				return Mapping{}, nil
			}
			return m, table
		}
	}
	return Mapping{}, nil
})

// readVDSO reads the vDSO from the memory of the process, which takes the permission to trace it (proc_pid_mem(5)).
func (p *Process) readVDSO(m Mapping) (*Table, error) {
	if m.End-m.Start > maxVDSO {
		return nil, fmt.Errorf("%d bytes, more than %d", m.End-m.Start, maxVDSO)
	}
	folder, err := openSame(p.pid, p.started)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(folder) }()
	memory, err := openAt(folder, "mem")
	if err != nil {
		return nil, err
	}
	defer func() { _ = memory.Close() }()
	image := make([]byte, m.End-m.Start)
	if _, err := io.ReadFull(io.NewSectionReader(memory, int64(m.Start), int64(len(image))), image); err != nil {
		return nil, err
	}
	return FromImage(image)
}

// sizeOf returns about how many bytes of memory mappings take.
func sizeOf(mappings []Mapping) int64 {
	const each = 128
	bytes := int64(0)
	for i, m := range mappings {
		bytes += each
		if i == 0 || mappings[i-1].Path != m.Path {
			bytes += int64(len(m.Path))
		}
	}
	return bytes
}

// perfMapMemory returns how many bytes of memory it takes at most to read a list of size bytes.
func perfMapMemory(size int64) int64 {
	const eachFunction = 2*functionSize + pieceSize + 3*8 + 1 // and three positions and a bool in latest
	size = min(size, maxPerfMap)
	return size + eachFunction*mostCompiled(size)
}
