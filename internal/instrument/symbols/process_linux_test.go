package symbols

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock/vdso"
	"github.com/timebench/timebench/internal/system/process"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// compiled returns the program of testdata, built with flags of the compiler.
func compiled(t *testing.T, flags ...string) string {
	t.Helper()
	need.Processes(t)
	return need.Compiled(t, "testdata/program.c", append(flags, "-fno-inline", "-ldl")...)
}

// A running program of testdata, and the addresses that it printed.
type running struct {
	pid                                         int
	exported, local, qsort, vdsoBase, anonymous uint64
	stop                                        func()
}

func start(t *testing.T, command *exec.Cmd) running {
	t.Helper()
	in, err := command.StdinPipe()
	require.NoError(t, err)
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	stop := sync.OnceFunc(func() {
		_ = in.Close()
		require.NoError(t, command.Wait())
	})
	t.Cleanup(stop)
	r := running{pid: command.Process.Pid, stop: stop}
	_, err = fmt.Fscanf(out, "%x %x %x %x %x\n", &r.exported, &r.local, &r.qsort, &r.vdsoBase, &r.anonymous)
	require.NoError(t, err)
	return r
}

func open(t *testing.T, files *Files, pid int) *Process {
	t.Helper()
	p, err := files.Open(pid)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

func TestNamesOfPrograms(t *testing.T) {
	for name, flags := range map[string][]string{
		"pie":      {"-fPIE", "-pie"},
		"not pie":  {"-no-pie"},
		"stripped": {"-s", "-fPIE", "-pie"},
		// Only then has a stripped program the names of its own functions.
		"exports": {"-s", "-rdynamic"},
		// Segments at other addresses than their offsets.
		"page size": {"-fPIE", "-pie", "-Wl,-z,max-page-size=0x200000", "-Wl,-z,noseparate-code"},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, exec.Command(compiled(t, flags...)))
			p := open(t, new(Files), r.pid)
			exported, local := "exported_function", "local_function"
			switch name {
			case "stripped":
				exported, local = "", ""
			case "exports":
				local = ""
			}
			require.Equal(t, Frame{exported, "program"}, p.Name(r.exported))
			require.Equal(t, Frame{local, "program"}, p.Name(r.local))
			libc := p.Name(r.qsort + 1)
			require.Contains(t, libc.Function, "qsort")
			require.Contains(t, libc.Module, "libc")
			require.Equal(t, Frame{}, p.Name(r.anonymous))
			require.Equal(t, Frame{}, p.Name(1))
		})
	}
}

func TestNamesOfVDSO(t *testing.T) {
	need.Processes(t)
	addr, err := vdso.Lookup("clock_gettime")
	if errors.Is(err, vdso.ErrNone) {
		need.Missing(t, "vdso", err.Error())
	}
	require.NoError(t, err)
	p := open(t, new(Files), os.Getpid())
	name := p.Name(uint64(addr)).Function
	require.Contains(t, []string{"__vdso_clock_gettime", "__kernel_clock_gettime"}, name)
	require.Equal(t, Frame{name, "[vdso]"}, p.Name(uint64(addr)+4))

	r := start(t, exec.Command(compiled(t)))
	other := open(t, new(Files), r.pid)
	own, ok := mappingAt(p.Mappings(), uint64(addr))
	require.True(t, ok)
	require.Equal(t, Frame{name, "[vdso]"}, other.Name(r.vdsoBase+uint64(addr)-own.Start))
	require.Empty(t, vdso.NameAt(1<<20, 1<<20+uint64(addr)-own.Start), "of a 32-bit process")
	require.Empty(t, vdso.NameAt(own.Start, own.Start))
}

func TestOwnFunctions(t *testing.T) {
	need.Processes(t)
	p := open(t, new(Files), os.Getpid())
	executable, err := os.Executable()
	require.NoError(t, err)
	frame := p.Name(uint64(reflect.ValueOf(TestOwnFunctions).Pointer()))
	require.Equal(t, filepath.Base(executable), frame.Module)
	// The go command strips the tests that it runs itself.
	if frame.Function != "" {
		require.Equal(t, "github.com/timebench/timebench/internal/instrument/symbols.TestOwnFunctions", frame.Function)
	}
}

// The program is not where it was: removed, removed with another in its place, and replaced by rename.
func TestNamesOfRemovedPrograms(t *testing.T) {
	for name, remove := range map[string]func(path string) error{
		"removed": os.Remove,
		"in its place": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, madeELF(2, madeNames, madeSymbols), 0o700))
		},
		"renamed": func(path string) error { return os.Rename(path, path+".old") },
		"fifo":    func(path string) error { return errors.Join(os.Remove(path), unix.Mkfifo(path, 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			path := compiled(t)
			r := start(t, exec.Command(path))
			before := open(t, new(Files), r.pid)
			require.NoError(t, remove(path))
			need.Ends(t, "Name", func() {
				for _, p := range []*Process{before, open(t, new(Files), r.pid)} {
					require.Equal(t, "exported_function", p.Name(r.exported).Function)
				}
			})
		})
	}
}

func TestNamesInAnotherRoot(t *testing.T) {
	if os.Getuid() != 0 {
		need.Missing(t, "root", "only root calls chroot(2)")
	}
	folder := t.TempDir()
	path := compiled(t, "-static", "-w")
	require.NoError(t, os.Rename(path, filepath.Join(folder, "inside")))
	command := exec.Command("/inside")
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: folder}
	command.Dir = "/"
	r := start(t, command)
	p := open(t, new(Files), r.pid)
	require.Equal(t, Frame{"exported_function", "inside"}, p.Name(r.exported))

	// Links in the root of the process stay in it.
	require.NoError(t, os.Mkdir(filepath.Join(folder, "tmp"), 0o700))
	outside := perfMapPath(r.pid)
	writePerfMap(t, outside, r.anonymous, "outside")
	require.NoError(t, os.Symlink("/lib", filepath.Join(folder, "link")))
	proc := process.Folder(r.pid)
	anything := func(*unix.Stat_t) error { return nil }
	_, _, err := openInRoot(proc, "/tmp/../.."+outside, anything)
	require.Error(t, err)
	file, _, err := openInRoot(proc, "/../../inside", anything)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.Equal(t, Frame{"outside", JIT}, p.Name(r.anonymous))
	inside := filepath.Join(folder, perfMapPath(r.pid))
	writePerfMap(t, inside, r.anonymous, "inside")
	require.NoError(t, p.Refresh())
	require.Equal(t, Frame{"inside", JIT}, p.Name(r.anonymous))
}

// A container: the program is in a file system that nobody else sees, with PID 1, and its own /tmp.
func TestNamesInAContainer(t *testing.T) {
	const script = `mount -t tmpfs none "$1" && cp "$2" "$1/inside" && mount --bind "$1" /tmp && exec /tmp/inside`
	path := compiled(t)
	if os.Getuid() != 0 {
		need.Missing(t, "root", "only root mounts")
	}
	command := exec.Command("sh", "-c", script, "sh", t.TempDir(), path)
	command.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS, Cloneflags: unix.CLONE_NEWPID}
	r := start(t, command)
	p := open(t, new(Files), r.pid)
	m, ok := mappingAt(p.Mappings(), r.exported)
	require.True(t, ok)
	require.Equal(t, "/tmp/inside", m.Path)
	require.Equal(t, Frame{"exported_function", "inside"}, p.Name(r.exported))
	writePerfMap(t, perfMapPath(r.pid), r.anonymous, "outside")
	writePerfMap(t, fmt.Sprintf("/proc/%d/root/tmp/perf-1.map", r.pid), r.anonymous, "inside")
	require.Equal(t, Frame{"inside", JIT}, p.Name(r.anonymous))
}

func writePerfMap(t *testing.T, path string, addr uint64, name string) {
	t.Helper()
	t.Cleanup(func() { _ = os.Remove(path) })
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "%x 10 %s\n", addr, name), 0o600))
}

func TestNamesOfCompiledFunctions(t *testing.T) {
	r := start(t, exec.Command(compiled(t)))
	p := open(t, new(Files), r.pid)
	path := perfMapPath(r.pid)
	require.Equal(t, Frame{}, p.Name(r.anonymous))
	writePerfMap(t, path, r.anonymous, "first")
	require.Equal(t, Frame{}, p.Name(r.anonymous), "not read before Refresh")
	require.NoError(t, p.Refresh())
	require.Equal(t, Frame{"first", JIT}, p.Name(r.anonymous))
	require.Equal(t, Frame{}, p.Name(r.anonymous+0x10))
	writePerfMap(t, path, r.anonymous, "the second")
	require.NoError(t, p.Refresh())
	require.Equal(t, Frame{"the second", JIT}, p.Name(r.anonymous))
	reads := p.files.reads
	require.NoError(t, p.Refresh())
	require.Equal(t, Frame{"the second", JIT}, p.Name(r.anonymous))
	require.Equal(t, reads, p.files.reads, "read again without need")

	// Of a process that has ended, too.
	late := open(t, new(Files), r.pid)
	r.stop()
	require.Equal(t, Frame{"the second", JIT}, late.Name(r.anonymous))
}

func TestPerfMapsThatAreNotTrusted(t *testing.T) {
	r := start(t, exec.Command(compiled(t)))
	path := perfMapPath(r.pid)
	other := filepath.Join(t.TempDir(), "other")
	writePerfMap(t, other, r.anonymous, "wrong")
	for name, plant := range map[string]func(t *testing.T){
		"fifo":   func(t *testing.T) { require.NoError(t, unix.Mkfifo(path, 0o600)) },
		"folder": func(t *testing.T) { require.NoError(t, os.Mkdir(path, 0o700)) },
		"link":   func(t *testing.T) { require.NoError(t, os.Symlink(other, path)) },
		"device": func(t *testing.T) {
			if err := unix.Mknod(path, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 5))); err != nil {
				t.Skip(err) // to be allowed takes root, and no container
			}
		},
		"of another user": func(t *testing.T) {
			if os.Getuid() != 0 {
				need.Missing(t, "root", "only root gives files away")
			}
			writePerfMap(t, path, r.anonymous, "wrong")
			require.NoError(t, os.Chown(path, 12345, 12345))
		},
	} {
		t.Run(name, func(t *testing.T) {
			plant(t)
			defer func() { require.NoError(t, os.Remove(path)) }()
			need.Ends(t, "Name", func() {
				require.Equal(t, Frame{}, open(t, new(Files), r.pid).Name(r.anonymous))
			})
		})
	}
}

func TestFilesAreReadOnce(t *testing.T) {
	path := compiled(t)
	files := new(Files)
	first, second := start(t, exec.Command(path)), start(t, exec.Command(path))
	for _, r := range []running{first, second, first, second} {
		p := open(t, files, r.pid)
		for range 2 {
			require.Equal(t, "exported_function", p.Name(r.exported).Function)
			require.Contains(t, p.Name(r.qsort).Module, "libc")
			require.NoError(t, p.Refresh())
		}
	}
	require.Equal(t, 2, files.reads)
}

// Whatever a file has, to read it takes no more memory than was reserved for it.
func TestReadingTakesWhatIsReserved(t *testing.T) {
	const number = 200_000
	list := func(line func(i int) string) func(func(int64) error) (*Table, error) {
		var text strings.Builder
		for i := range number {
			text.WriteString(line(i))
		}
		return func(reserve func(int64) error) (*Table, error) {
			return readPerfMap(strings.NewReader(text.String()), int64(text.Len()), reserve)
		}
	}
	program := func(symbol func(i uint64) testSymbol) func(func(int64) error) (*Table, error) {
		symbols := make([]testSymbol, number)
		for i := range symbols {
			symbols[i] = symbol(uint64(i))
		}
		image := madeELF(elf.ELFCLASS64, madeNames, symbols)
		return func(reserve func(int64) error) (*Table, error) {
			return fromELF(bytes.NewReader(image), int64(len(image)), reserve)
		}
	}
	for name, read := range map[string]func(func(int64) error) (*Table, error){
		"short lines":        list(func(int) string { return "0 1 a\n" }),
		"functions in order": list(func(i int) string { return fmt.Sprintf("%x 8 a\n", i*8) }),
		"overlapping lines":  list(func(i int) string { return fmt.Sprintf("%x %x a\n", i, 2*number) }),
		"long names":         list(func(i int) string { return fmt.Sprintf("%x 8 %s\n", i*8, strings.Repeat("x", 100)) }),
		"side by side":       program(func(i uint64) testSymbol { return exported(1, i*8, 8) }),
		"within each other":  program(func(i uint64) testSymbol { return exported(1, i, 2*number-2*i) }),
		"in a chain":         program(func(i uint64) testSymbol { return exported(1, i*8, 12) }),
		"at the end of one":  program(func(i uint64) testSymbol { return exported(1, i*8, number*8-i*8) }),
	} {
		reserved := int64(0)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		table, err := read(func(bytes int64) error { reserved += bytes; return nil })
		runtime.ReadMemStats(&after)
		require.NoError(t, err, name)
		const buffers = 256 << 10
		require.LessOrEqual(t, int64(after.TotalAlloc-before.TotalAlloc), reserved+buffers, name)
		require.LessOrEqual(t, table.size(), reserved+buffers, name)
		requireOrdered(t, table)
	}
}

// What all processes take together has a bound, and Exhausted says which one was exceeded.
func TestSymbolsOfAllProcessesAreBounded(t *testing.T) {
	r := start(t, exec.Command(compiled(t)))
	writePerfMap(t, perfMapPath(r.pid), r.anonymous, "compiled")

	const taken = maxBytes - 32<<10 // the rest is enough for the mappings, and for no file
	files := &Files{bytes: taken}
	p := open(t, files, r.pid)
	require.NoError(t, files.Exhausted())
	require.Empty(t, p.Name(r.qsort).Function)
	require.EqualError(t, files.Exhausted(), "the symbols of all programs need more than 320 MiB of memory")
	require.LessOrEqual(t, files.bytes, int64(maxBytes))
	p.Close()
	p.Close()
	require.Equal(t, taken+files.kept, files.bytes, "the mappings are given back")

	files = &Files{bytes: maxBytes - 1}
	_, err := files.Open(r.pid)
	require.ErrorContains(t, err, files.Exhausted().Error())

	files = new(Files)
	p, unread := open(t, files, r.pid), open(t, files, r.pid)
	require.Equal(t, "exported_function", p.Name(r.exported).Function)
	files.spent = maxTime
	require.Equal(t, "exported_function", p.Name(r.exported+1).Function, "was read before")
	require.NoError(t, files.Exhausted())
	require.Equal(t, Frame{}, p.Name(r.anonymous))
	require.Empty(t, unread.Name(r.exported).Function)
	require.EqualError(t, files.Exhausted(), "reading the symbols of all programs takes more than 10s")
	_, err = files.Open(r.pid)
	require.EqualError(t, err, files.Exhausted().Error())
}

// A list that was dropped for others is read again.
func TestPerfMapsAreReadOnce(t *testing.T) {
	path := compiled(t)
	first, second := start(t, exec.Command(path)), start(t, exec.Command(path))
	list := fmt.Appendf(nil, "%x 10 shared\n%x 10 shared\n", first.anonymous, second.anonymous)
	t.Cleanup(func() {
		require.NoError(t, errors.Join(os.Remove(perfMapPath(first.pid)), os.Remove(perfMapPath(second.pid))))
	})
	require.NoError(t, os.WriteFile(perfMapPath(first.pid), list, 0o600))
	require.NoError(t, os.Link(perfMapPath(first.pid), perfMapPath(second.pid)))
	files := new(Files)
	a, b := open(t, files, first.pid), open(t, files, second.pid)
	require.Equal(t, Frame{"shared", JIT}, a.Name(first.anonymous))
	require.Equal(t, Frame{"shared", JIT}, b.Name(second.anonymous))
	require.Equal(t, 1, files.reads)
	require.Error(t, files.reserve(maxBytes), "all are dropped")
	require.Equal(t, Frame{"shared", JIT}, a.Name(first.anonymous))
	require.Equal(t, 2, files.reads)
}

func TestProcessesThatEnd(t *testing.T) {
	r := start(t, exec.Command(compiled(t)))
	p := open(t, new(Files), r.pid)
	require.Equal(t, "exported_function", p.Name(r.exported).Function)
	unread := open(t, new(Files), r.pid)
	r.stop()
	require.Equal(t, "exported_function", p.Name(r.exported).Function)
	require.Equal(t, "exported_function", unread.Name(r.exported).Function, "from its path, which is the same file")
	require.ErrorIs(t, p.Refresh(), process.ErrEnded)
	_, err := new(Files).Open(r.pid)
	require.ErrorIs(t, err, process.ErrEnded)
	_, err = new(Files).Open(-1)
	require.Error(t, err)
	p.Close()
	p.Close()
	require.Equal(t, Frame{}, p.Name(r.exported))

	// Another process with the PID is not taken for it.
	p = open(t, new(Files), os.Getpid())
	p.id.Started++
	require.ErrorIs(t, p.Refresh(), process.ErrEnded)
}

func TestNoDescriptorRemains(t *testing.T) {
	r := start(t, exec.Command(compiled(t)))
	writePerfMap(t, perfMapPath(r.pid), r.anonymous, "x")
	before := need.OpenFiles()
	p, err := new(Files).Open(r.pid)
	require.NoError(t, err)
	for _, addr := range []uint64{r.exported, r.qsort, r.vdsoBase, r.anonymous} {
		p.Name(addr)
	}
	require.NoError(t, p.Refresh())
	require.Eventually(t, func() bool { return need.OpenFiles() == before }, 10*time.Second, time.Millisecond)
	p.Close()
}

// A file system that does not answer takes one time-out, here that of the rest of the time for all files.
func TestHungFileSystem(t *testing.T) {
	files := &Files{spent: maxTime - 1}
	release := make(chan struct{})
	defer close(release)
	_, _, err := files.read(func() (*os.File, fileID, error) {
		<-release
		return nil, fileID{}, io.EOF
	})
	require.ErrorIs(t, err, errHung)
	require.ErrorIs(t, files.Exhausted(), errHung)
	_, _, err = files.read(func() (*os.File, fileID, error) { t.Error("called"); return nil, fileID{}, nil })
	require.ErrorIs(t, err, errHung, "the first bound that was exceeded")
}

func TestLongPerfMapIsReadFromItsEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "perf.map")
	file, err := os.Create(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	_, err = file.WriteString("1000 10 first\n")
	require.NoError(t, err)
	_, err = file.WriteAt([]byte("\n2000 10 last\n"), 2*maxPerfMap)
	require.NoError(t, err)
	stat, err := file.Stat()
	require.NoError(t, err)
	table, err := readPerfMap(file, stat.Size(), func(int64) error { return nil })
	require.NoError(t, err)
	requireNames(t, table, map[uint64]string{0x1000: "", 0x2000: "last"})
}
