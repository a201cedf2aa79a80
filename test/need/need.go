// Package need checks the requirements of a test: a compiler, an emulator, a tracer. If one
// is missing, the test is skipped with the reason. If TIMEBENCH_REQUIRE names the
// requirement, as in CI, the test fails instead, so that no skip goes unnoticed.
package need

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Required is the environment variable that lists, between commas, the needs
// that must be met.
const Required = "TIMEBENCH_REQUIRE"

// Program returns the path of a program that the test runs.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name, err.Error())
	}
	return path
}

// Compiled returns the path of a program that cc makes of a C file.
func Compiled(t testing.TB, source string, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(source), ".c"))
	args := append([]string{"-Wall", "-O1", "-pthread", "-o", path, source}, flags...)
	if out, err := exec.Command(Program(t, "cc"), args...).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return path
}

// OpenFiles returns the number of open files of this process; 0 on a system without /proc.
func OpenFiles() int {
	files, _ := os.ReadDir("/proc/self/fd")
	return len(files)
}

// Missing ends the test for the lack of a named need: a skip, or a failure where
// it is required.
func Missing(t testing.TB, name, reason string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv(Required), ","), name) {
		t.Fatalf("%s names %s, and it is not here: %s", Required, name, reason)
	}
	t.Skipf("needs %s: %s", name, reason)
}

// Timebench builds the program for this machine and returns its path. Under an
// emulator of another system there is no compiler.
func Timebench(t testing.TB) string {
	t.Helper()
	path := filepath.Join(Folder(t), "timebench")
	build := exec.Command(Program(t, "go"), "build", "-o", path, "github.com/timebench/timebench")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// Ends calls a function that waits, and fails if it has not returned after half a minute. what
// names it.
func Ends(t testing.TB, what string, call func()) {
	t.Helper()
	const long = 30 * time.Second
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		call()
	}()
	select {
	case <-ended:
	case <-time.After(long):
		t.Fatalf("%s did not end in %v", what, long)
	}
}

// Until waits until something holds, and fails after two minutes. what names it, and said returns what is there
// instead.
func Until(t testing.TB, what string, holds func() bool, said ...func() string) {
	t.Helper()
	const long = 2 * time.Minute
	for end := time.Now().Add(long); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().Before(end) {
			continue
		}
		for _, s := range said {
			t.Log(s())
		}
		t.Fatalf("%s: not in %v", what, long)
	}
}
