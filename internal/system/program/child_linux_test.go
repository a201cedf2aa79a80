package program

import (
	"crypto/rand"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// A program gets the descriptors of its command, and none of its runner.
func TestDescriptorsOfAProgram(t *testing.T) {
	need.Processes(t)
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	command := func() *exec.Cmd {
		command := exec.Command(need.Program(t, "sh"), "-c",
			"cd /proc/$$/fd; cat <&3; echo *; read line || echo no input")
		command.ExtraFiles = []*os.File{file}
		return command
	}
	want, err := command().Output()
	require.NoError(t, err)
	_, err = file.Seek(0, io.SeekStart)
	require.NoError(t, err)
	out, err := Run(t.Context(), command(), usual)
	require.NoError(t, err)
	require.Equal(t, string(want), string(out))
	require.Regexp(t, "^text0 1 .*\nno input\n$", string(out))
}

// A child ends with timebench, and so do a program and its daemon. A survivor does not.
func TestChildrenEndWithTimebench(t *testing.T) {
	need.Program(t, "setsid")
	for name, of := range map[string]struct{ sleeping, left int }{
		"child": {1, 0}, "survivor": {1, 1}, "run": {2, 0},
	} {
		mark := rand.Text()
		outer := playing(t, name)
		outer.Env = append(outer.Env, "MARK="+mark)
		require.NoError(t, outer.Start())
		need.Until(t, name+": its processes", func() bool {
			return len(sleeping(t, mark)) == of.sleeping && len(need.Marked(t, mark)) > 1
		})
		require.NoError(t, outer.Process.Kill())
		_ = outer.Wait()
		need.Until(t, name+": the end of its processes", func() bool { return len(need.Marked(t, mark)) == of.left })
		for _, number := range sleeping(t, mark) {
			pid, err := strconv.Atoi(number)
			require.NoError(t, err)
			require.NoError(t, unix.Kill(pid, unix.SIGKILL))
		}
	}
}
