package runtimes

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A cache of modules may be read-only. Root may remove it all the same, so another user removes it here: a thread
// with that user's file system id, setfsuid(2).
func TestReadOnlyFoldersAreRemoved(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "all")
	inner := filepath.Join(folder, "cache", "module")
	require.NoError(t, os.MkdirAll(inner, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(inner, "file"), nil, 0o400))
	user := os.Getuid()
	if user == 0 {
		user = 65534
		for _, path := range []string{filepath.Dir(filepath.Dir(folder)), filepath.Dir(folder)} {
			require.NoError(t, os.Chmod(path, 0o777))
		}
		for _, path := range []string{folder, filepath.Dir(inner), inner, filepath.Join(inner, "file")} {
			require.NoError(t, os.Chown(path, user, -1))
		}
	}
	require.NoError(t, os.Chmod(inner, 0o500))
	require.NoError(t, os.Chmod(filepath.Dir(inner), 0o500))
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // the thread ends with the goroutine
		_ = unix.Setfsuid(user)
		remove(folder)
	}()
	<-done
	require.NoDirExists(t, folder)
}
