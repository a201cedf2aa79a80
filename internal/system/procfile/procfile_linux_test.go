package procfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// A device may do anything when it is opened, and a FIFO may have no other end.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	folder := t.TempDir()
	fifo, file := filepath.Join(folder, "fifo"), filepath.Join(folder, "file")
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	events, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	require.NoError(t, err)
	defer func() { _ = unix.Close(events) }()
	for path, regular := range map[string]bool{fifo: false, "/dev/zero": false, "/proc/self/task": false, file: true} {
		if filepath.Dir(path) == folder { // others may open /dev/zero
			_, err := unix.InotifyAddWatch(events, path, unix.IN_OPEN)
			require.NoError(t, err)
		}
		_, err := Read(path)
		if !regular {
			require.EqualError(t, err, "open "+path+": not a regular file")
		}
		n, _ := unix.Read(events, make([]byte, 4096))
		require.Equal(t, regular, n > 0, path)
	}
	text, err := Read("/proc/self/status")
	require.NoError(t, err)
	require.Contains(t, string(text), "VmHWM:")
}

// inRoot names the environment variable with the folder that the test reads in as its root, without /proc.
const inRoot = "TEST_IN_ROOT"

func TestReadWithoutProc(t *testing.T) {
	if root := os.Getenv(inRoot); root != "" {
		require.NoError(t, unix.Chroot(root)) // of the whole process, which ends with this test
		text, err := Read("/file")
		require.NoError(t, err)
		require.Equal(t, "content", string(text))
		_, err = Read("/fifo")
		require.EqualError(t, err, "open /fifo: not a regular file")
		return
	}
	need.Processes(t)
	if os.Geteuid() != 0 {
		need.Missing(t, "root", "only root calls chroot(2)")
	}
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "file"), []byte("content"), 0o600))
	require.NoError(t, unix.Mkfifo(filepath.Join(root, "fifo"), 0o600))
	command := exec.Command(os.Args[0], "-test.run=^TestReadWithoutProc$")
	command.Env = append(os.Environ(), inRoot+"="+root)
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
}
