package procfile

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

func TestRead(t *testing.T) {
	folder := need.Folder(t)
	for _, size := range []int{0, 1, Most, Most + 1, 3 * Most} {
		path := filepath.Join(folder, "file")
		content := bytes.Repeat([]byte("x"), size)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		text, err := Read(path)
		require.NoError(t, err)
		require.Equal(t, content[:min(size, Most)], text)
	}
	_, err := Read(filepath.Join(folder, "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = Read(folder)
	require.Error(t, err)
}
