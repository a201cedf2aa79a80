package cmd

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/windows"
)

// A file that another program has open stays as it was, with nothing beside it.
func TestFileThatIsOpenElsewhere(t *testing.T) {
	for _, share := range []uint32{0, windows.FILE_SHARE_READ, windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE} {
		folder := need.Folder(t)
		path := filepath.Join(folder, "report.html")
		require.NoError(t, writeWhole(path, []byte("first")))
		name, err := windows.UTF16PtrFromString(path)
		require.NoError(t, err)
		other, err := windows.CreateFile(name, windows.GENERIC_READ, share, nil, windows.OPEN_EXISTING, 0, 0)
		require.NoError(t, err)
		require.EqualError(t, writeWhole(path, []byte("second")), path+" cannot be replaced: another program has it open")
		require.NoError(t, windows.CloseHandle(other))
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "first", string(content))
		left, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Len(t, left, 1)
		require.NoError(t, writeWhole(path, []byte("second")), "it is free again")
	}
}

// What keeps a file from being replaced is not always another program.
func TestFolderInTheFilesPlace(t *testing.T) {
	folder := need.Folder(t)
	path := filepath.Join(folder, "report.html")
	require.NoError(t, os.Mkdir(path, 0o755))
	err := writeWhole(path, []byte("content"))
	require.ErrorContains(t, err, path+" cannot be replaced: ")
	require.NotContains(t, err.Error(), "another program")
	require.NotContains(t, err.Error(), ".timebench-")
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 1)
}
