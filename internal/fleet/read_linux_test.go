package fleet_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/test/made"
	"golang.org/x/sys/unix"
)

// A pipe to which nobody writes is not read, and what may not be read does not hide the others.
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
