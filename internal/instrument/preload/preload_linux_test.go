package preload

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/instrument/symbols"
	"github.com/timebench/timebench/test/need"
)

// library compiles a library of testdata under a name.
func library(t *testing.T, source, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	out, err := exec.Command(need.Program(t, "cc"), "-O2", "-shared", "-fPIC", "-o", path,
		filepath.Join("testdata", source)).CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}

func TestHere(t *testing.T) {
	standin, other := library(t, "standin.c", "libstandin.so.1"), library(t, "other.c", "libother.so")
	text := filepath.Join(t.TempDir(), "text.so")
	require.NoError(t, os.WriteFile(text, []byte("no library"), 0o600))
	environment := func(list string) []string { return []string{Variable + "=" + list} }
	require.Equal(t, []string{standin + " (LD_PRELOAD)"},
		Here(environment(other+":"+standin+" "+text+" /nowhere.so libc.so.6 /")))
	require.Empty(t, Here(environment(other)))
	require.Empty(t, Here(nil))
}

// running starts a program that has these libraries preloaded, and waits until it runs.
func running(t *testing.T, list string) int {
	t.Helper()
	command := exec.Command(need.Program(t, "cat"))
	command.Env = []string{Variable + "=" + list}
	stdin, err := command.StdinPipe()
	require.NoError(t, err)
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = command.Wait()
	})
	_, err = stdin.Write([]byte("ready\n"))
	require.NoError(t, err)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	return command.Process.Pid
}

func TestInto(t *testing.T) {
	standin, other := library(t, "standin.c", "libstandin.so.1.0"), library(t, "other.c", "libother.so")
	link := filepath.Join(filepath.Dir(standin), "libstandin.so.1")
	require.NoError(t, os.Symlink(filepath.Base(standin), link))
	into := func(pid int) []string {
		process, err := new(symbols.Reader).Process(pid)
		require.NoError(t, err)
		return Into(process)
	}
	require.Equal(t, []string{standin + " (LD_PRELOAD)"}, into(running(t, other+":"+link+":"+link)))
	require.Empty(t, into(running(t, other)))
	require.Empty(t, into(os.Getpid()))
}
