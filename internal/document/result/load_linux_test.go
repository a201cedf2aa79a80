package result_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// A FIFO that the user did not name may have no writer, now or ever. A device, and a file of the kernel such as
// /proc/kmsg, may have no end, and reading the latter takes messages from syslog.
func TestLoadWaitsForNoOtherEnd(t *testing.T) {
	folder := need.Folder(t)
	fifo, link := filepath.Join(folder, "results.json"), filepath.Join(folder, "link.json")
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	require.NoError(t, os.Symlink(fifo, link))
	found := func(name string) (*result.Document, error) { return sections.LoadUpTo(name, result.MaxSize) }
	for _, c := range []struct {
		load       func(string) (*result.Document, error)
		name, want string
	}{
		{sections.Load, folder, "not a regular file"}, {found, folder, "not a regular file"}, {found, fifo, "not a regular file"},
		{found, link, "not a regular file"}, {found, "/dev/zero", "not a regular file"}, {sections.Load, "/dev/zero", "is a device; name a file"},
		{sections.Load, "/proc/self/status", "is empty, or a kernel file without a size (/proc); "},
	} {
		need.Ends(t, c.name, func() {
			_, err := c.load(c.name)
			require.ErrorContains(t, err, ": "+c.want, c.name)
		})
	}
}

// The shell's <(...) is a descriptor, or a FIFO that it names.
func TestLoadReadsPipesThatTheUserNames(t *testing.T) {
	text := written(t, example())
	r, w, err := os.Pipe()
	require.NoError(t, err)
	fifo := filepath.Join(need.Folder(t), "fifo")
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	go func() { _, _ = w.Write(text); _ = w.Close() }()
	go func() { _ = os.WriteFile(fifo, text, 0o600) }()
	need.Ends(t, "reading a pipe", func() {
		document, err := sections.LoadUpTo(fmt.Sprintf("/dev/fd/%d", r.Fd()), result.MaxSize)
		require.NoError(t, err)
		require.Equal(t, example(), document)
		document, err = sections.Load(fifo)
		require.NoError(t, err)
		require.Equal(t, example(), document)
	})
	require.NoError(t, r.Close())
}
