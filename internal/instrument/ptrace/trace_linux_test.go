package ptrace

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// readsOfC are the reads of testdata/reads.c, with the vDSO hidden.
func readsOfC() map[string][]string {
	all := map[string][]string{
		"realtime":     {"CLOCK_REALTIME"},
		"monotonic":    {"CLOCK_MONOTONIC"},
		"coarse":       {"CLOCK_MONOTONIC_COARSE"},
		"gettimeofday": {"gettimeofday"},
		"time":         {timeOfLibc()},
		"two":          {"CLOCK_BOOTTIME", "CLOCK_TAI"},
	}
	for mark, names := range readsOfTheKernel {
		all[mark] = names
	}
	return all
}

// readsOfTheKernel are the reads that enter the kernel on any machine.
var readsOfTheKernel = map[string][]string{
	"zone":      nil,
	"nothing":   nil,
	"clock":     {"CLOCK_PROCESS_CPUTIME_ID"},
	"thread":    {"CLOCK_THREAD_CPUTIME_ID"},
	"own":       {"CLOCK_THREAD_CPUTIME_ID"},
	"other":     {"CLOCK_THREAD_CPUTIME_ID"},
	"process":   {"CLOCK_PROCESS_CPUTIME_ID"},
	"device":    {"device clock"},
	"unknown":   {"clock 1000"},
	"times":     {"times"},
	"getrusage": {"getrusage"},
	"direct":    {"CLOCK_MONOTONIC_RAW"},
}

// Each call is made 100 times, and each of them belongs to its mark; no read belongs to the last mark of a program
// before. The runtimes of other languages are traced by internal/measurement/runtimes.
func TestReads(t *testing.T) {
	usableOrSkip(t)
	reads, script := compiled(t, "reads"), filepath.Join(t.TempDir(), "wrapper")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\ncd /timebench-mark/before 2>/dev/null\nexec '"+reads+"' \"$@\"\n"), 0o755))
	for name, program := range map[string]*exec.Cmd{
		"C":                         exec.Command(reads, "100"),
		"C, static":                 exec.Command(compiled(t, "reads", "-static"), "100"),
		"a shell that becomes it":   exec.Command(script, "100"),
		"a shell that waits for it": exec.Command(need.Program(t, "sh"), "-c", reads+" 100; exit 0"),
	} {
		var output bytes.Buffer
		program.Stdout, program.Stderr = &output, &output
		spans, err := Trace(t.Context(), Hidden, program, ample)
		require.NoError(t, err, "%s: %s", name, &output)
		require.Equal(t, each(100, readsOfC()), counted(spans), name)
	}
}

// timeOfLibc is the read of time(2) in glibc. arm64 does not have the system call.
func timeOfLibc() string {
	if runtime.GOARCH == "arm64" {
		return "CLOCK_REALTIME_COARSE"
	}
	return "time"
}

// Without hiding, the trace has the reads that enter the kernel, and no others.
func TestWithoutHiding(t *testing.T) {
	usableOrSkip(t)
	if vector, err := unix.Auxv(); err != nil || !hasVDSO(vector) {
		need.Missing(t, "vdso", "the kernel mapped no vDSO into this process")
	}
	spans, err := Trace(t.Context(), Visible, exec.Command(compiled(t, "reads"), "100"), ample)
	require.NoError(t, err)
	got := counted(spans)
	for mark, names := range readsOfTheKernel {
		require.Equal(t, each(100, map[string][]string{mark: names})[mark], got[mark], mark)
	}
	// The other clocks of the vDSO enter the kernel with some clock sources. The coarse clock never does.
	require.Equal(t, map[string]int{"null": 100}, got["coarse"])
}

func hasVDSO(vector [][2]uintptr) bool {
	for _, entry := range vector {
		if entry[0] == atSysinfoEHDR {
			return true
		}
	}
	return false
}

// Each system call with a path is a mark, in the order of the calls.
func TestMarks(t *testing.T) {
	usableOrSkip(t)
	spans, err := Trace(t.Context(), Hidden, exec.Command(compiled(t, "marks", "-static")), ample)
	require.NoError(t, err)
	var want []Span
	marks := "newfstatat statx faccessat faccessat2 openat openat2 readlinkat chdir statfs"
	if runtime.GOARCH == "amd64" {
		marks = "stat lstat access open readlink " + marks
	}
	for mark := range strings.FieldsSeq(marks) {
		want = append(want, Span{Mark: mark, Reads: []string{"CLOCK_MONOTONIC"}})
	}
	// Then come four reads after calls that are not marks.
	last := &want[len(want)-1]
	for range 4 {
		last.Reads = append(last.Reads, "CLOCK_MONOTONIC")
	}
	want = append(want, Span{Mark: "", Reads: []string{"CLOCK_MONOTONIC"}},
		Span{Mark: strings.Repeat("x", 200), Reads: []string{"CLOCK_MONOTONIC"}})
	require.Equal(t, want, spans)
}

// An ordinary user who cannot gain privileges traces programs. The kernel hides the memory of a program from a user who
// may not read its file.
func TestOrdinaryUser(t *testing.T) {
	usableOrSkip(t)
	folder := need.Folder(t)
	require.NoError(t, os.Chmod(folder, 0o755)) // any user enters it
	program, tracer := filepath.Join(folder, "reads"), filepath.Join(folder, "tracer")
	self, err := os.Executable()
	require.NoError(t, err)
	copyTo(t, program, compiled(t, "reads", "-static"))
	copyTo(t, tracer, self)
	r := traceAsNobody(t, tracer, need.Program(t, "sh"), "-c", "exec "+program+" 10")
	require.Empty(t, r.Error)
	require.Equal(t, each(10, readsOfC()), counted(r.Spans))
	require.NoError(t, os.Chmod(program, 0o111))
	r = traceAsNobody(t, tracer, program, "10")
	require.Regexp(t, `^the vDSO cannot be hidden from process \d+: input/output error$`, r.Error)
}

func copyTo(t *testing.T, to, from string) {
	t.Helper()
	content, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, content, 0o755))
	require.NoError(t, os.Chmod(to, 0o755)) // whatever the umask is
}

// traceAsNobody traces a program by a copy of this one, as a user without privileges.
func traceAsNobody(t *testing.T, tracer string, args ...string) report {
	t.Helper()
	command := exec.Command(tracer, args...)
	command.Env = []string{role + "=trace"}
	command.Dir = "/"
	if os.Getuid() == 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	require.NoError(t, err, stderr.String())
	var r report
	require.NoError(t, json.Unmarshal(output, &r))
	return r
}

// outputOf returns the output of a traced program.
func outputOf(t *testing.T, task Task, path string, args ...string) string {
	t.Helper()
	var output bytes.Buffer
	program := exec.Command(path, args...)
	program.Stdout = &output
	_, err := Trace(t.Context(), task, program, ample)
	require.NoError(t, err)
	return output.String()
}

// The vDSO is hidden from each program that the first one becomes or starts.
func TestVDSOIsHidden(t *testing.T) {
	usableOrSkip(t)
	path := compiled(t, "vdso")
	printed := func(task Task) string { return outputOf(t, task, path) }
	require.Equal(t, "none\nnone\nnone\n", printed(Fast))
	require.Equal(t, "none\nnone\nnone\n", printed(Hidden))
	if vector, err := unix.Auxv(); err == nil && hasVDSO(vector) {
		require.Equal(t, "vdso\nvdso\nvdso\n", printed(Visible))
	}
}

// At full speed the program does not stop at system calls; otherwise twice at each.
func TestFastDoesNotStopAtCalls(t *testing.T) {
	usableOrSkip(t)
	path := compiled(t, "hostile")
	switches := func(task Task) (n int) {
		require.NoError(t, json.Unmarshal([]byte(outputOf(t, task, path, "switches")), &n))
		return n
	}
	running, tracing := switches(Fast), switches(Hidden)
	require.Less(t, running, 100)
	require.GreaterOrEqual(t, tracing, 20_000)
}
