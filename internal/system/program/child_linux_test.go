package program

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
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
	out, err := Run(t.Context(), command(), Limits{Time: ample, OutputBytes: 1e6})
	require.NoError(t, err)
	require.Equal(t, string(want), string(out))
	require.Regexp(t, "^text0 1 .*\nno input\n$", string(out))
}

// A program behind a gate does not run before it opens, and then has the same number.
func TestGate(t *testing.T) {
	need.Processes(t)
	begun := filepath.Join(t.TempDir(), "begun")
	child, err := StartGated(t.Context(), exec.Command(need.Program(t, "sh"), "-c", `echo $$; : > "$0"; exit 3`, begun))
	require.NoError(t, err)
	require.True(t, child.Waits())
	time.Sleep(50 * time.Millisecond)
	require.NoFileExists(t, begun)
	require.NoError(t, child.Begin())
	require.False(t, child.Waits())
	out, err := io.ReadAll(child.Out)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintln(child.PID()), string(out))
	require.Equal(t, "exit status 3", child.Fate())
	require.FileExists(t, begun)
}

// A child ends with timebench, whether its gate has opened or not. A survivor does not.
func TestChildrenEndWithTimebench(t *testing.T) {
	for name, want := range map[string]int{"waiting": 0, "begun": 0, "survivor": 1} {
		mark := rand.Text()
		outer := playing(t, name)
		outer.Env = append(outer.Env, "MARK="+mark)
		out, err := outer.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, outer.Start())
		_, err = out.Read(make([]byte, 1)) // its child is there
		require.NoError(t, err)
		require.NoError(t, outer.Process.Kill())
		_ = outer.Wait()
		require.Eventually(t, func() bool { return len(need.Marked(t, mark)) == want }, ample, 10*time.Millisecond, name)
		for _, p := range need.Marked(t, mark) {
			var pid int
			_, err := fmt.Sscan(p, &pid)
			require.NoError(t, err)
			survivor, err := os.FindProcess(pid)
			require.NoError(t, err)
			require.NoError(t, survivor.Kill())
		}
	}
}
