package fleet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/test/made"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// A pipe without a writer is not read, and a forbidden folder does not hide the other results.
func TestPipesAndForbiddenFolders(t *testing.T) {
	documents, _ := made.Fleet(2, 0, 1)
	folder := written(t, documents)
	pipe, forbidden := filepath.Join(folder, "a.json"), filepath.Join(folder, "forbidden")
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	f := compared(t, folder, pipe)
	require.Equal(t, 2, f.Machines)
	require.Equal(t, []fleet.Unread{{File: pipe, Reason: "is not a regular file"}}, f.Unread)
	require.NoError(t, os.Mkdir(forbidden, 0))
	if _, err := os.ReadDir(forbidden); err == nil {
		return // root may read it
	}
	f = compared(t, folder)
	require.Equal(t, 2, f.Machines)
	require.Equal(t, []fleet.Unread{{File: forbidden, Reason: "permission denied"}}, f.Unread)
}

// A link to a folder is that folder, and one within it is not followed: it may be a loop.
func TestLinks(t *testing.T) {
	documents, _ := made.Fleet(2, 0, 1)
	folder := written(t, documents)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(folder, link))
	require.NoError(t, os.Symlink(folder, filepath.Join(folder, "loop")))
	require.NoError(t, os.Symlink(filepath.Join(folder, "nowhere"), filepath.Join(folder, "nowhere.json")))
	require.NoError(t, os.Symlink(filepath.Join(folder, "00000.json"), filepath.Join(folder, "again.json")))
	for _, name := range []string{folder, link} {
		f := compared(t, name)
		require.Equal(t, 2, f.Machines, name)
		require.Empty(t, f.Unread, name)
	}
}

// A file may become a pipe after it was found.
func TestReadWaitsForNoPipe(t *testing.T) {
	documents, _ := made.Fleet(2, 0, 1)
	folder := written(t, documents)
	files, _, err := fleet.Find([]string{folder}, nil)
	require.NoError(t, err)
	require.Len(t, files, 2)
	require.NoError(t, os.Remove(files[0]))
	require.NoError(t, unix.Mkfifo(files[0], 0o600))
	need.Ends(t, "reading", func() {
		machines, unread := fleet.Read(files, load)
		require.Len(t, machines, 1)
		require.Equal(t, []fleet.Unread{{File: files[0], Reason: "not a regular file"}}, unread)
	})
}

// The shell's <(...) is read.
func TestDescriptorsAreRead(t *testing.T) {
	documents, _ := made.Fleet(1, 0, 1)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	go func() { _ = documents[0].Write(w); _ = w.Close() }()
	need.Ends(t, "reading", func() {
		f := compared(t, fmt.Sprintf("/dev/fd/%d", r.Fd()))
		require.Equal(t, 1, f.Machines)
		require.Empty(t, f.Unread)
	})
}
