package procfile

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestReadWaitsForNothing(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	for _, path := range []string{fifo, "/dev/zero", "/proc/self/task"} {
		_, err := Read(path)
		require.EqualError(t, err, "open "+path+": not a regular file")
	}
	text, err := Read("/proc/self/status")
	require.NoError(t, err)
	require.Contains(t, string(text), "VmHWM:")
}
