package symbols

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock/vdso"
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

// frame returns what is known of an address of a process.
func frame(files *Files, pid int, address uint64) Frame {
	return files.Names(pid, []uint64{address})[address]
}

func nameOf(r running, address uint64) Frame { return frame(new(Files), r.pid, address) }

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
			exported, local := "exported_function", "local_function"
			switch name {
			case "stripped":
				exported, local = "", ""
			case "exports":
				local = ""
			}
			require.Equal(t, Frame{exported, "program"}, nameOf(r, r.exported))
			require.Equal(t, Frame{local, "program"}, nameOf(r, r.local))
			libc := nameOf(r, r.qsort+1)
			require.Contains(t, libc.Function, "qsort")
			require.Contains(t, libc.Module, "libc")
			require.Equal(t, Frame{}, nameOf(r, r.anonymous))
			require.Equal(t, Frame{}, nameOf(r, 1))
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
	own, err := Mappings(os.Getpid())
	require.NoError(t, err)
	files := new(Files)
	name := frame(files, os.Getpid(), uint64(addr)).Function
	require.Contains(t, []string{"__vdso_clock_gettime", "__kernel_clock_gettime"}, name)
	require.Equal(t, Frame{name, "[vdso]"}, frame(files, os.Getpid(), uint64(addr)+4))

	r := start(t, exec.Command(compiled(t)))
	m, ok := mappingAt(own, uint64(addr))
	require.True(t, ok)
	require.Equal(t, Frame{name, "[vdso]"}, nameOf(r, r.vdsoBase+uint64(addr)-m.Start))
	require.Empty(t, vdso.NameAt(1<<20, 1<<20+uint64(addr)-m.Start), "of a 32-bit process")
	require.Empty(t, vdso.NameAt(m.Start, m.Start))
}

func TestOwnFunctions(t *testing.T) {
	need.Processes(t)
	executable, err := os.Executable()
	require.NoError(t, err)
	own := frame(new(Files), os.Getpid(), uint64(reflect.ValueOf(TestOwnFunctions).Pointer()))
	require.Equal(t, filepath.Base(executable), own.Module)
	// The go command strips the tests that it runs itself.
	if own.Function != "" {
		require.Equal(t, "github.com/timebench/timebench/internal/instrument/symbols.TestOwnFunctions", own.Function)
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
			require.NoError(t, remove(path))
			need.Ends(t, "Names", func() { require.Equal(t, "exported_function", nameOf(r, r.exported).Function) })
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
	require.Equal(t, Frame{"exported_function", "inside"}, nameOf(r, r.exported))

	// Links in the root of the process stay in it.
	require.NoError(t, os.Mkdir(filepath.Join(folder, "tmp"), 0o700))
	outside := perfMapPath(r.pid)
	writePerfMap(t, outside, r.anonymous, "outside")
	require.NoError(t, os.Symlink("/lib", filepath.Join(folder, "link")))
	anything := func(*unix.Stat_t) error { return nil }
	_, _, err := openInRoot(r.pid, "/tmp/../.."+outside, anything)
	require.Error(t, err)
	require.Equal(t, Frame{}, nameOf(r, r.anonymous))
	writePerfMap(t, filepath.Join(folder, perfMapPath(r.pid)), r.anonymous, "inside")
	require.Equal(t, Frame{"inside", JIT}, nameOf(r, r.anonymous))
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
	mappings, err := Mappings(r.pid)
	require.NoError(t, err)
	m, ok := mappingAt(mappings, r.exported)
	require.True(t, ok)
	require.Equal(t, "/tmp/inside", m.Path)
	require.Equal(t, Frame{"exported_function", "inside"}, nameOf(r, r.exported))
	writePerfMap(t, perfMapPath(r.pid), r.anonymous, "outside")
	writePerfMap(t, fmt.Sprintf("/proc/%d/root/tmp/perf-1.map", r.pid), r.anonymous, "inside")
	require.Equal(t, Frame{"inside", JIT}, nameOf(r, r.anonymous))
}

func writePerfMap(t *testing.T, path string, addr uint64, name string) {
	t.Helper()
	t.Cleanup(func() { _ = os.Remove(path) })
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "%x 10 %s\n", addr, name), 0o600))
}

func TestNamesOfCompiledFunctions(t *testing.T) {
	r := start(t, exec.Command(compiled(t)))
	require.Equal(t, Frame{}, nameOf(r, r.anonymous))
	for _, name := range []string{"first", "the second"} {
		writePerfMap(t, perfMapPath(r.pid), r.anonymous, name)
		require.Equal(t, Frame{name, JIT}, nameOf(r, r.anonymous))
		require.Equal(t, Frame{}, nameOf(r, r.anonymous+0x10))
	}
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
			need.Ends(t, "Names", func() { require.Equal(t, Frame{}, nameOf(r, r.anonymous)) })
		})
	}
}

// The names of a file are those of all processes that map it.
func TestFilesAreReadOnce(t *testing.T) {
	path := compiled(t)
	files := new(Files)
	for range 2 {
		r := start(t, exec.Command(path))
		require.Equal(t, "exported_function", frame(files, r.pid, r.exported).Function)
		require.Contains(t, frame(files, r.pid, r.qsort).Module, "libc")
		require.Len(t, files.names, 2)
	}
}

// What all processes take together has a bound, and Exhausted says which one was exceeded.
func TestSymbolsOfAllProcessesAreBounded(t *testing.T) {
	r := start(t, exec.Command(compiled(t)))
	files := &Files{spent: maxTime - time.Second}
	require.Equal(t, "exported_function", frame(files, r.pid, r.exported).Function)
	require.NoError(t, files.Exhausted())
	require.Less(t, maxTime-time.Second, files.spent)
	files.spent = maxTime
	require.Empty(t, frame(files, r.pid, r.exported))
	require.EqualError(t, files.Exhausted(), "reading the symbols of all programs takes more than 10s")
}

// A file system that does not answer takes one time-out, here that of the rest of the time for all files.
func TestHungFileSystem(t *testing.T) {
	files := &Files{spent: maxTime - 1}
	release := make(chan struct{})
	defer close(release)
	require.Zero(t, timed(files, func() int { <-release; return 1 }))
	require.ErrorIs(t, files.Exhausted(), errHung)
	require.Zero(t, timed(files, func() int { t.Error("called"); return 1 }))
	require.ErrorIs(t, files.Exhausted(), errHung, "the first bound that was exceeded")
}

func TestProcessesThatEnd(t *testing.T) {
	r := start(t, exec.Command(compiled(t)))
	r.stop()
	require.Empty(t, nameOf(r, r.exported))
	_, err := Mappings(r.pid)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestNoDescriptorRemains(t *testing.T) {
	r := start(t, exec.Command(compiled(t)))
	writePerfMap(t, perfMapPath(r.pid), r.anonymous, "x")
	before := need.OpenFiles()
	require.Len(t, new(Files).Names(r.pid, []uint64{r.exported, r.qsort, r.vdsoBase, r.anonymous}), 4)
	require.Equal(t, before, need.OpenFiles())
}
