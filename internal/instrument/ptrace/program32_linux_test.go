//go:build amd64

package ptrace

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// The calls of a 32-bit program are not seen, which is an error. The spans of 64-bit programs before it
// are kept.
func TestProgramOf32Bits(t *testing.T) {
	usableOrSkip(t)
	path := filepath.Join(t.TempDir(), "program32")
	build := exec.Command(need.Program(t, "cc"), "-m32", "-nostdlib", "-static", "-o", path, "testdata/program32.c")
	if out, err := build.CombinedOutput(); err != nil {
		need.Missing(t, "cc -m32", string(out))
	}
	if err := exec.Command(path).Run(); err == nil || err.Error() != "exit status 5" {
		need.Missing(t, "32-bit programs", "this kernel does not run them")
	}
	_, err := Trace(t.Context(), Hidden, exec.Command(path), ample)
	require.Regexp(t, `^process \d+ is a 32-bit program: its clock reads are not traced$`, err.Error())

	marks := strings.Repeat("cd /timebench-mark/x 2>/dev/null; ", 3)
	program := exec.Command(need.Program(t, "sh"), "-c", marks+path+"; exit 0")
	spans, err := Trace(t.Context(), Hidden, program, ample)
	require.Regexp(t, `^process \d+ is a 32-bit program: its clock reads are not traced$`, err.Error())
	require.GreaterOrEqual(t, len(spans), 2)
	_, err = Trace(t.Context(), Fast, exec.Command(need.Program(t, "sh"), "-c", path+"; exit 0"), ample)
	require.Error(t, err)
}
