package watch

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// Any user who may read the folder can hold its lock. No turn waits for that.
func TestWatchInALockedFolder(t *testing.T) {
	folder := t.TempDir()
	other, err := os.Open(folder)
	require.NoError(t, err)
	defer func() { _ = other.Close() }()
	require.NoError(t, unix.Flock(int(other.Fd()), unix.LOCK_EX))
	a := &Agent{Textfile: filepath.Join(folder, "timebench.prom")}
	need.Ends(t, "ten turns", func() {
		for range 10 {
			require.Nil(t, a.write([]byte("timebench_x 1\n")))
		}
	})
	require.Equal(t, map[string]string{"timebench.prom": "timebench_x 1\n"}, need.FilesIn(t, folder))
}
