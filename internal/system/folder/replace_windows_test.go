package folder

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/windows"
)

// A file that another program has open stays, and no temporary file is left.
func TestFileThatIsOpenElsewhere(t *testing.T) {
	for _, share := range []uint32{0, windows.FILE_SHARE_READ, windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE} {
		folder := need.Folder(t)
		path := filepath.Join(folder, "report.html")
		require.NoError(t, writeAll(t, folder, "report.html", "first"))
		name, err := windows.UTF16PtrFromString(path)
		require.NoError(t, err)
		other, err := windows.CreateFile(name, windows.GENERIC_READ, share, nil, windows.OPEN_EXISTING, 0, 0)
		require.NoError(t, err)
		require.EqualError(t, writeAll(t, folder, "report.html", "second"),
			path+" cannot be replaced: another program has it open")
		require.NoError(t, windows.CloseHandle(other))
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "first", string(content))
		left, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Len(t, left, 1)
		require.NoError(t, writeAll(t, folder, "report.html", "second"), "the file is closed")
	}
}

// If one file of a set cannot be replaced, those before it stay too.
func TestSetWithAFileThatIsOpenElsewhere(t *testing.T) {
	folder := need.Folder(t)
	second := filepath.Join(folder, "report.html")
	require.NoError(t, writeAll(t, folder, "report.md", "old", "report.html", "old", "results.json", "old"))
	other, err := os.Open(second)
	require.NoError(t, err)
	require.EqualError(t, writeAll(t, folder, "report.md", "new", "report.html", "new", "results.json", "new"),
		second+" cannot be replaced: another program has it open")
	require.NoError(t, other.Close())
	require.Equal(t, map[string]string{"report.md": "old", "report.html": "old", "results.json": "old"},
		need.FilesIn(t, folder))
}
