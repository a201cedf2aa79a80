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

// A FIFO that the user did not name may have no writer, now or ever.
func TestLoadWaitsForNoFIFO(t *testing.T) {
	folder := need.Folder(t)
	fifo := filepath.Join(folder, "results.json")
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	link := filepath.Join(folder, "link.json")
	require.NoError(t, os.Symlink(fifo, link))
	for what, load := range map[string]func() (*result.Document, error){
		"folder":       func() (*result.Document, error) { return sections.Load(folder) },
		"folder found": func() (*result.Document, error) { return sections.LoadUpTo(folder, result.MaxSize) },
		"found":        func() (*result.Document, error) { return sections.LoadUpTo(fifo, result.MaxSize) },
		"link":         func() (*result.Document, error) { return sections.LoadUpTo(link, result.MaxSize) },
		"device":       func() (*result.Document, error) { return sections.LoadUpTo("/dev/zero", result.MaxSize) },
	} {
		need.Ends(t, what, func() {
			_, err := load()
			require.ErrorContains(t, err, ": not a regular file", what)
		})
	}
}

// A device, and a file of the kernel such as /proc/kmsg, may have no end, and reading the latter takes messages from
// syslog.
func TestLoadReadsNoDevice(t *testing.T) {
	for name, want := range map[string]string{
		"/dev/zero": "is a device; name a file", "/dev/null": "is a device; name a file", "/proc/self/status": "is empty, or a kernel file without a size (/proc); ",
	} {
		need.Ends(t, name, func() {
			_, err := sections.Load(name)
			require.ErrorContains(t, err, name+": "+want)
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
