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
	require.Nil(t, Read(root, FirstOfQEMU), "no /dev")
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o755))
	require.Nil(t, Read(root, FirstOfQEMU), "no device")

	require.NoError(t, os.WriteFile(path, page(updated(8, 4)), 0o600))
	require.Equal(t, &result.VMClock{DisruptionMarker: "4", Disruptions: 3, Status: "unknown"}, Read(root, FirstOfQEMU))
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.Equal(t, &result.VMClock{Reason: path + ": a page of 0 bytes; the shortest has 32"}, Read(root, FirstOfQEMU))
	require.NoError(t, os.Truncate(path, 1<<40))
	require.Equal(t, &result.VMClock{Reason: path + ": the page begins with 0x0 instead of VCLK"}, Read(root, FirstOfQEMU))

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o755))
	require.Equal(t, &result.VMClock{Reason: path + ": is a directory"}, Read(root, FirstOfQEMU))
	require.Nil(t, Read(path+"/file", FirstOfQEMU))
	require.NoError(t, os.Remove(path))
	require.NoError(t, unix.Mkfifo(path, 0o600))
	require.NotEmpty(t, Read(root, FirstOfQEMU).Reason)
}
