// Package need checks the requirements of a test: a compiler, an emulator, a tracer. If one is missing, the test is
// skipped with the reason. If TIMEBENCH_REQUIRE has the requirement, as in CI, the test fails instead, so that no skip
// goes unnoticed.
package need

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Required is the environment variable that lists, between commas, the required needs: names; or all, and optional
// names after a minus sign.
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

// Compiled returns the path of a program that cc makes of a C file. The user's cache keeps it, as most tests of a
// package compile the same file.
func Compiled(t testing.TB, source string, flags ...string) string {
	t.Helper()
	cc := Program(t, "cc")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	cache, err := cacheFolder()
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(cache, fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(text, "%s %q", cc, flags)))[:16]+".c")
	path := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(source), ".c"))
	// This process writes no program: a child that another test starts meanwhile would have the file open, and the kernel
	// does not run such a file (https://github.com/golang/go/issues/22315).
	if exec.Command("cp", kept, path).Run() != nil {
		Output(t, exec.Command(cc, append([]string{"-Wall", "-O1", "-pthread", "-o", path, source}, flags...)...))
		half := filepath.Join(cache, filepath.Base(kept)+rand.Text())
		Output(t, exec.Command("cp", path, half))
		if err := os.Rename(half, kept); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// cacheFolder returns the folder of the user's cache in which tests keep programs.
func cacheFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "timebench-test")
	return folder, os.MkdirAll(folder, 0o700)
}

// OpenFiles returns the number of open files of this process; 0 on a system without /proc.
func OpenFiles() int {
	files, _ := os.ReadDir("/proc/self/fd")
	return len(files)
}

// required reports whether the variable requires a need: it has the name, or it has "all" without the name after a
// minus sign.
func required(name string) bool {
	list := strings.Split(os.Getenv(Required), ",")
	return slices.Contains(list, name) || slices.Contains(list, "all") && !slices.Contains(list, "-"+name)
}

// Missing ends the test because a named need is missing: a skip, or a failure if the need is required.
func Missing(t testing.TB, name, reason string) {
	t.Helper()
	if required(name) {
		t.Fatalf("%s requires %s, and it is not here: %s", Required, name, reason)
	}
	t.Skipf("needs %s: %s", name, reason)
}

// Minutes skips a test that takes long, unless "minutes" is required. A benchmark is always explicit, so it is not
// skipped.
func Minutes(t testing.TB) {
	t.Helper()
	if _, isTest := t.(*testing.T); isTest && !required("minutes") {
		t.Skipf("takes long; %s=minutes runs it, and CI does", Required)
	}
}

const timebench = "github.com/timebench/timebench"

// Timebench returns the path of the program for this machine. A benchmark gets it without cgo, as it is released; a
// test with cgo as the tests have it, so that all packages are compiled already. Under an emulator of another system
// there is no compiler.
func Timebench(t testing.TB) string {
	t.Helper()
	if _, isTest := t.(*testing.T); !isTest {
		return Built(t, timebench, "CGO_ENABLED=0")
	}
	return Built(t, timebench)
}

// TimebenchFor returns the path of the program for another system or CPU, as it is released.
func TimebenchFor(t testing.TB, system, cpu string) string {
	t.Helper()
	return Built(t, timebench, "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+cpu)
}

// Built returns the path of a program in Go, which is built with these variables in its environment.
func Built(t testing.TB, source string, variables ...string) string {
	t.Helper()
	Program(t, "go")
	name := strings.TrimSuffix(filepath.Base(source), ".go")
	if filepath.Ext(source) == ".go" { // the file of a package
		absolute, err := filepath.Abs(source)
		if err != nil {
			t.Fatal(err)
		}
		source = absolute
	}
	if slices.Contains(variables, "GOOS=windows") {
		name += ".exe"
	}
	once, _ := builds.LoadOrStore(fmt.Sprint(source, variables), sync.OnceValues(func() (string, error) {
		return build(source, variables)
	}))
	built, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(Folder(t), name)
	if os.Link(built, path) == nil {
		return path
	}
	content, err := os.ReadFile(built) // the cache is on another file system
	if err == nil {
		err = os.WriteFile(path, content, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// builds are the functions that build the programs of this process, each once.
var builds sync.Map

// build builds a program in the user's cache. Linking takes as long as most tests; Go skips it if the last program
// there was made of the same files. Each clone has its own folder of the cache.
func build(source string, variables []string) (string, error) {
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("go list: %w", err)
	}
	folder := filepath.Join(cache, fmt.Sprintf("%x", sha256.Sum256(fmt.Append(root, source, variables)))[:16])
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(folder, "program")
	command := exec.Command("go", "build", "-o", path, source)
	// With its work beside it, Go replaces the program at once: another package may be starting it.
	command.Env = append(append(os.Environ(), variables...), "GOTMPDIR="+folder)
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", source, err, out)
	}
	return path, nil
}

// Long is a time limit that no test reaches unless it hangs, even on a busy machine.
const Long = 5 * time.Minute

// Ends calls a function that waits, and fails if it has not returned after a [Long] time. The error names what.
func Ends(t testing.TB, what string, call func()) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		call()
	}()
	select {
	case <-ended:
	case <-time.After(Long):
		t.Fatalf("%s did not end in %v", what, Long)
	}
}

// Until waits until a condition holds, and fails after a [Long] time. The error names what, and said returns the
// state instead.
func Until(t testing.TB, what string, holds func() bool, said ...func() string) {
	t.Helper()
	for end := time.Now().Add(Long); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().Before(end) {
			continue
		}
		for _, s := range said {
			t.Log(s())
		}
		t.Fatalf("%s: not in %v", what, Long)
	}
}
