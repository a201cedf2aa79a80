package files

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/system/folder"
	"github.com/timebench/timebench/internal/watch"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// stranger is the user and the group of the owner of a hostile folder: the user nobody.
const stranger = 65534

// asStranger calls a function on a thread of its own that has the rights of that user.
func asStranger(do func() error) error {
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		for _, set := range []uintptr{unix.SYS_SETRESGID, unix.SYS_SETRESUID} {
			// syscall.Setresuid would change all threads.
			if _, _, errno := unix.RawSyscall(set, stranger, stranger, stranger); errno != 0 {
				failed <- errno
				return
			}
		}
		failed <- do()
	}()
	return <-failed
}

// A hostile is the owner of a folder, who replaces files that root writes in it by links.
type hostile struct {
	folder         string // of the stranger
	secret, away   string // of root: a file, and an empty folder
	swapped, moved atomic.Int64
	stop           atomic.Bool
	running        sync.WaitGroup
	before         unix.Stat_t
}

const secretText = "root:*:20228"

// newHostile makes the folder and the victims, and starts to swap.
func newHostile(t *testing.T) *hostile {
	t.Helper()
	if os.Geteuid() != 0 {
		need.Missing(t, "root", "only root loses rights to the owner of a folder")
	}
	base := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(base), 0o755)) // the stranger looks into it
	h := &hostile{folder: filepath.Join(base, "folder"), secret: filepath.Join(base, "secret"),
		away: filepath.Join(base, "away")}
	require.NoError(t, os.Mkdir(h.folder, 0o755))
	require.NoError(t, os.Mkdir(h.away, 0o755))
	require.NoError(t, os.WriteFile(h.secret, []byte(secretText), 0o600))
	require.NoError(t, unix.Stat(h.secret, &h.before))
	require.NoError(t, os.Mkdir(filepath.Join(h.folder, charts), 0o755))
	for _, name := range []string{".", charts} {
		require.NoError(t, os.Chown(filepath.Join(h.folder, name), stranger, stranger))
	}
	for _, below := range []string{"", charts} {
		h.running.Go(func() {
			_ = asStranger(func() error {
				return h.swapTemporaries(filepath.Join(h.folder,
					below))
			})
		})
	}
	t.Cleanup(func() {
		h.stop.Store(true)
		h.running.Wait()
	})
	return h
}

// plant puts a file of the stranger into the folder, to which everybody may write.
func (h *hostile) plant(t *testing.T, name string, content []byte) {
	t.Helper()
	require.NoError(t, asStranger(func() error {
		path := filepath.Join(h.folder, name)
		_ = os.Remove(path)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
		return os.Chmod(path, 0o666|os.ModeSetuid)
	}))
}

// swapTemporaries replaces each temporary file by a link to the folder of root for a while, as soon as it appears.
func (h *hostile) swapTemporaries(folder string) error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	if _, err := unix.InotifyAddWatch(fd, folder, unix.IN_CREATE); err != nil {
		return err
	}
	events := make([]byte, 64<<10)
	for !h.stop.Load() {
		const patience = 100 // ms, to see that it is to stop
		if ready, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, patience); err != nil ||
			ready == 0 {
			continue
		}
		n, err := unix.Read(fd, events)
		if err != nil {
			return err
		}
		for rest := events[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			event := (*unix.InotifyEvent)(unsafe.Pointer(&rest[0]))
			name := string(bytes.TrimRight(rest[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+event.Len], "\x00"))
			rest = rest[unix.SizeofInotifyEvent+event.Len:]
			if !strings.HasPrefix(name, ".timebench-") {
				continue
			}
			path := filepath.Join(folder, name)
			moved := fmt.Sprint(filepath.Join(folder, "moved"), h.swapped.Load())
			if os.Rename(path, moved) == nil && os.Symlink(h.away, path) == nil {
				h.swapped.Add(1)
				time.Sleep(time.Millisecond)
				_ = os.Remove(path)
			}
		}
	}
	return nil
}

// moveCharts swaps the folder of the pictures for a link to the folder of root, again and again.
func (h *hostile) moveCharts() error {
	path := filepath.Join(h.folder, charts)
	for !h.stop.Load() {
		if os.Rename(path, path+".moved") == nil && os.Symlink(h.away, path) == nil {
			h.moved.Add(1)
		}
		_ = os.Remove(path)
		_ = os.Rename(path+".moved", path)
	}
	return nil
}

// requireVictims requires that root's file and folder have not changed.
func (h *hostile) requireVictims(t *testing.T) {
	t.Helper()
	var after unix.Stat_t
	require.NoError(t, unix.Lstat(h.secret, &after))
	require.Equal(t, "100600", strconv.FormatUint(uint64(after.Mode), 8), "the mode of a file of root")
	require.Equal(t, [2]uint32{0, 0}, [2]uint32{after.Uid, after.Gid})
	require.Equal(t, [2]any{h.before.Ino, h.before.Mtim}, [2]any{after.Ino, after.Mtim})
	content, err := os.ReadFile(h.secret)
	require.NoError(t, err)
	require.Equal(t, secretText, string(content))
	left, err := os.ReadDir(h.away)
	require.NoError(t, err)
	require.Empty(t, left, "in a folder of root")
}

// The owner of a folder changes no file of root's, whatever he swaps for the files that root writes there: neither
// mode, owner nor content.
func TestHostileFolder(t *testing.T) {
	content := bytes.Repeat([]byte("timebench_x 1\n"), 1<<12)
	write := func(w io.Writer) error { _, err := w.Write(content); return err }
	diff := []byte(`{"schema": "timebench-diff/1"}`)
	for name, test := range map[string]struct {
		moves bool
		once  func(h *hostile)
	}{
		"out": {once: func(h *hostile) {
			h.plant(t, "diff.json", diff)
			h.plant(t, "diff.md", nil)
			target := NewTarget(h.folder, Diffs)
			if target.Check() == nil {
				_ = target.Write([]File{{"charts/change.png", write}, {"diff.md", write}, {"diff.json", write}})
			}
		}},
		"charts": {moves: true, once: func(h *hostile) {
			h.plant(t, "diff.json", diff)
			target := NewTarget(h.folder, Diffs)
			if target.Check() == nil {
				_ = target.Write([]File{{"charts/change.png", write}, {"diff.json", write}})
			}
		}},
		"textfile": {once: func(h *hostile) {
			h.plant(t, "timebench.prom", nil)
			textfile := filepath.Join(h.folder, "timebench.prom")
			if watch.CheckTextfile(textfile) == nil {
				_ = watch.WriteTextfile(textfile, content)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHostile(t)
			if test.moves {
				h.running.Go(func() { _ = asStranger(h.moveCharts) })
			}
			for range 100 {
				test.once(h)
				h.requireVictims(t)
			}
			require.NotZero(t, h.swapped.Load(), "nothing was swapped")
			require.Equal(t, test.moves, h.moved.Load() > 0)
		})
	}
}

// A pipe or a link instead of a file is refused, without waiting for a writer.
func TestPipesAndLinksInAFolder(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o666) },
		"link":   func(path string) error { return os.Symlink("/etc/passwd", path) },
		"inside": func(path string) error { return os.Symlink("other", path) },
	} {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "other"), nil, 0o600))
		for _, name := range []string{"diff.json", "diff.zip", "timebench.prom"} {
			require.NoError(t, put(filepath.Join(folder, name)))
		}
		need.Ends(t, name, func() {
			require.ErrorContains(t, NewTarget(folder, Diffs).Check(),
				"diff.json is not a regular file; name another one")
			require.ErrorContains(t, NewTarget(filepath.Join(folder, "diff.zip"), Diffs).Check(),
				"diff.zip is not a regular file")
			require.ErrorContains(t, watch.CheckTextfile(filepath.Join(folder, "timebench.prom")),
				"timebench.prom is not a regular file")
			require.NoError(t, os.Remove(filepath.Join(folder, "diff.json")))
			require.NoError(t, put(filepath.Join(folder, charts)))
			require.Error(t, NewTarget(folder, Diffs).Check())
			require.Error(t, NewTarget(filepath.Join(folder, charts), Diffs).Check())
		})
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Len(t, entries, 4)
	}
}

// A folder in which files may be created but not read is an error that says what is missing.
func TestUnreadableFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		need.Missing(t, "root", "only root becomes another user")
	}
	base := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(base), 0o755))
	blind, report := filepath.Join(base, "blind"), filepath.Join(base, "report")
	for _, folder := range []string{blind, report, filepath.Join(report, charts)} {
		require.NoError(t, os.Mkdir(folder, 0o700))
		require.NoError(t, os.Chmod(folder, 0o777))
	}
	for _, folder := range []string{blind, filepath.Join(report, charts)} {
		require.NoError(t, os.Chmod(folder, 0o333))
	}
	for name, test := range map[string]struct {
		folder string
		open   func() error
	}{
		"--out":      {blind, func() error { return NewTarget(blind, Diffs).Check() }},
		"below":      {blind, func() error { return NewTarget(filepath.Join(blind, "new"), Diffs).Check() }},
		"zip":        {blind, func() error { return NewTarget(filepath.Join(blind, "diff.zip"), Diffs).Check() }},
		"charts":     {filepath.Join(report, charts), func() error { return NewTarget(report, Diffs).Check() }},
		"--textfile": {blind, func() error { return watch.CheckTextfile(filepath.Join(blind, "timebench.prom")) }},
	} {
		err := asStranger(test.open)
		require.ErrorContains(t, err,
			"the folder "+test.folder+" cannot be opened: permission denied; the folder must be readable", name)
		require.ErrorAs(t, err, new(*folder.Failure), name)
	}
}

// A name that the system does not take is refused before anything is measured.
func TestNameThatTheSystemDoesNotTake(t *testing.T) {
	long := filepath.Join(need.Folder(t), strings.Repeat("a", 300))
	for _, name := range []string{long, filepath.Join(long, "report"), long + ".zip"} {
		require.Error(t, NewTarget(name, Diffs).Check(), name)
	}
}
