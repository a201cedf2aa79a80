package symbols

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

func open(t *testing.T, pid int) *Process {
	t.Helper()
	p, err := new(Reader).Process(pid)
	require.NoError(t, err)
	return p
}

func mappings(t *testing.T, p *Process) []Mapping {
	t.Helper()
	all, err := p.Mappings()
	require.NoError(t, err)
	return all
}

// frame returns the function and the module at an address.
func frame(t *testing.T, p *Process, address uint64) Frame {
	t.Helper()
	frames, err := p.Names([]uint64{address})
	require.NoError(t, err)
	return frames[0]
}

// compiledName returns the name by the list of a just-in-time compiler.
func compiledName(t *testing.T, p *Process, address uint64) string {
	t.Helper()
	names, err := p.CompiledNames([]uint64{address})
	require.NoError(t, err)
	return names[0]
}

func TestNamesOfPrograms(t *testing.T) {
	for name, flags := range map[string][]string{
		"pie":      {"-fPIE", "-pie"},
		"not pie":  {"-no-pie"},
		"stripped": {"-s", "-fPIE", "-pie"},
		// Only with these flags does a stripped program have the names of its own functions.
		"exports": {"-s", "-rdynamic"},
		// Segments at other addresses than their offsets.
		"page size": {"-fPIE", "-pie", "-Wl,-z,max-page-size=0x200000", "-Wl,-z,noseparate-code"},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, exec.Command(compiled(t, flags...)))
			p := open(t, r.pid)
			exported, local := "exported_function", "local_function"
			switch name {
			case "stripped":
				exported, local = "", ""
			case "exports":
				local = ""
			}
			require.Equal(t, Frame{exported, "program"}, frame(t, p, r.exported))
			require.Equal(t, Frame{local, "program"}, frame(t, p, r.local))
			libc := frame(t, p, r.qsort+1)
			require.Contains(t, libc.Function, "qsort")
			require.Contains(t, libc.Module, "libc")
			require.Equal(t, Frame{}, frame(t, p, r.anonymous))
			require.Equal(t, Frame{}, frame(t, p, 1))
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
	p := open(t, os.Getpid())
	name := frame(t, p, uint64(addr)).Function
	require.Contains(t, []string{"__vdso_clock_gettime", "__kernel_clock_gettime"}, name)
	require.Equal(t, Frame{name, "[vdso]"}, frame(t, p, uint64(addr)+4))

	r := start(t, exec.Command(compiled(t)))
	other := open(t, r.pid)
	own, ok := mappingAt(mappings(t, p), uint64(addr))
	require.True(t, ok)
	require.Equal(t, Frame{name, "[vdso]"}, frame(t, other, r.vdsoBase+uint64(addr)-own.Start))
	require.Empty(t, vdso.NameAt(1<<20, 1<<20+uint64(addr)-own.Start), "of a 32-bit process")
	require.Empty(t, vdso.NameAt(own.Start, own.Start))
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
			before := open(t, r.pid)
			require.NoError(t, remove(path))
			need.Ends(t, "Name", func() {
				for _, p := range []*Process{before, open(t, r.pid)} {
					require.Equal(t, "exported_function", frame(t, p, r.exported).Function)
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
	p := open(t, r.pid)
	require.Equal(t, Frame{"exported_function", "inside"}, frame(t, p, r.exported))

	// Links in the root of the process stay in it.
	require.NoError(t, os.Mkdir(filepath.Join(folder, "tmp"), 0o700))
	outside := perfMapPath(r.pid)
	writePerfMap(t, outside, r.anonymous, "outside")
	require.NoError(t, os.Symlink("/lib", filepath.Join(folder, "link")))
	proc := process.Folder(r.pid)
	anything := func(*unix.Stat_t) error { return nil }
	_, err := openInRoot(proc, "/tmp/../.."+outside, anything)
	require.Error(t, err)
	file, err := openInRoot(proc, "/../../inside", anything)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.Equal(t, "outside", compiledName(t, p, r.anonymous))
	inside := filepath.Join(folder, perfMapPath(r.pid))
	writePerfMap(t, inside, r.anonymous, "inside")
	require.Equal(t, "inside", compiledName(t, p, r.anonymous))
}

// A container: the program is in a file system of its own, with PID 1 and its own /tmp.
func TestNamesInAContainer(t *testing.T) {
	const script = `mount -t tmpfs none "$1" && cp "$2" "$1/inside" && mount --bind "$1" /tmp && exec /tmp/inside`
	path := compiled(t)
	if os.Getuid() != 0 {
		need.Missing(t, "root", "only root mounts")
	}
	command := exec.Command("sh", "-c", script, "sh", t.TempDir(), path)
	command.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS, Cloneflags: unix.CLONE_NEWPID}
	r := start(t, command)
	p := open(t, r.pid)
	m, ok := mappingAt(mappings(t, p), r.exported)
	require.True(t, ok)
	require.Equal(t, "/tmp/inside", m.Path)
	require.Equal(t, Frame{"exported_function", "inside"}, frame(t, p, r.exported))
	writePerfMap(t, perfMapPath(r.pid), r.anonymous, "outside")
	writePerfMap(t, fmt.Sprintf("/proc/%d/root/tmp/perf-1.map", r.pid), r.anonymous, "inside")
	require.Equal(t, "inside", compiledName(t, p, r.anonymous))
}

func writePerfMap(t *testing.T, path string, addr uint64, name string) {
	t.Helper()
	t.Cleanup(func() { _ = os.Remove(path) })
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "%x 10 %s\n", addr, name), 0o600))
}

func TestNamesOfCompiledFunctions(t *testing.T) {
	r := start(t, exec.Command(compiled(t)))
	p := open(t, r.pid)
	path := perfMapPath(r.pid)
	_, err := p.CompiledNames([]uint64{r.anonymous})
	require.ErrorIs(t, err, os.ErrNotExist)
	writePerfMap(t, path, r.anonymous, "first")
	require.Equal(t, "first", compiledName(t, p, r.anonymous))
	require.Empty(t, compiledName(t, p, r.anonymous+0x10))
	writePerfMap(t, path, r.anonymous, "the second")
	r.stop()
	require.Equal(t, "the second", compiledName(t, p, r.anonymous), "of a process that has ended, too")
}

// Of a long list only the end is read. Beside busy programs even that may take more time than a call has.
func TestLongPerfMap(t *testing.T) {
	r := start(t, exec.Command(compiled(t)))
	path := perfMapPath(r.pid)
	writePerfMap(t, path, r.anonymous, "first")
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteAt(fmt.Appendf(nil, "\n%x 10 last\n", r.anonymous+0x10), 2*maxPerfMap)
	require.NoError(t, errors.Join(err, file.Close()))
	need.Until(t, "the end of the list", func() bool {
		names, err := open(t, r.pid).CompiledNames([]uint64{r.anonymous, r.anonymous + 0x10})
		return err == nil && slices.Equal(names, []string{"", "last"})
	})
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
				_, err := open(t, r.pid).CompiledNames([]uint64{r.anonymous})
				require.Error(t, err)
			})
		})
	}
}

func TestProcessesThatEnd(t *testing.T) {
	r := start(t, exec.Command(compiled(t)))
	p := open(t, r.pid)
	r.stop()
	_, err := p.Names([]uint64{r.exported})
	require.ErrorIs(t, err, process.ErrEnded)
	_, err = p.Mappings()
	require.ErrorIs(t, err, process.ErrEnded)
	_, err = new(Reader).Process(r.pid)
	require.ErrorIs(t, err, process.ErrEnded)

	// Another process with the same PID is not taken for it.
	p = open(t, os.Getpid())
	p.id.Started++
	_, err = p.Names([]uint64{r.exported})
	require.ErrorIs(t, err, process.ErrEnded)
}

// Reading takes no more time than it may, and says so: a file system that does not answer takes one time-out.
func TestTimeIsBounded(t *testing.T) {
	t.Parallel()
	r := new(Reader)
	release := make(chan struct{})
	defer close(release)
	_, err := bounded(r, func() (int, error) { <-release; return 1, nil })
	require.ErrorContains(t, err, "could not be read in time")
	require.Equal(t, err, r.Exhausted())
	_, err = bounded(r, func() (int, error) { t.Error("called"); return 1, nil })
	require.Equal(t, err, r.Exhausted())

	r = &Reader{spent: maxTime - 1}
	value, err := bounded(r, func() (int, error) { time.Sleep(time.Millisecond); return 1, nil })
	require.NoError(t, err)
	require.Equal(t, 1, value)
	require.EqualError(t, r.Exhausted(), "reading the symbols of all programs takes more than 10s")
}

func TestNoDescriptorRemains(t *testing.T) {
	r := start(t, exec.Command(compiled(t)))
	writePerfMap(t, perfMapPath(r.pid), r.anonymous, "x")
	before := need.OpenFiles()
	p := open(t, r.pid)
	for _, addr := range []uint64{r.exported, r.qsort, r.vdsoBase, r.anonymous} {
		frame(t, p, addr)
		compiledName(t, p, addr)
	}
	require.Equal(t, before, need.OpenFiles())
}
