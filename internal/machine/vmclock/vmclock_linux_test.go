package vmclock

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"golang.org/x/sys/unix"
)

// A machine's device is a file below its root. Whatever stands there instead is a reason, and no wait.
func TestRead(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, device)
	require.Nil(t, Read(root, false), "no /dev")
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o755))
	require.Nil(t, Read(root, false), "no device")

	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Truncate(path, 1<<40))
	require.Equal(t, &result.VMClock{Reason: path + ": not a page of VMClock, version 1"}, Read(root, false))

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o755))
	require.Equal(t, &result.VMClock{Reason: path + ": is a directory"}, Read(root, false))
	require.Nil(t, Read(path+"/file", false))
	require.NoError(t, os.Remove(path))
	require.NoError(t, unix.Mkfifo(path, 0o600))
	require.NotEmpty(t, Read(root, false).Reason)
}
