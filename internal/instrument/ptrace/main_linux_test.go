package ptrace

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// role is the variable that makes this program something else than the tests.
const role = "TIMEBENCH_TEST_PTRACE"

// roles are the roles of this test program.
var roles = program.Roles{Role: Follow}

func TestMain(m *testing.M) {
	program.Main(roles)
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "trace":
		_ = os.Unsetenv(role)
		traceAndPrint(os.Args[1:])
	case "usable":
		if err := Usable(); err != nil {
			_, _ = os.Stdout.WriteString(err.Error())
		}
	case "errno", "kill":
		forbidPtrace(os.Getenv(role))
	}
}

// ample are limits that no test reaches unless it waits for that.
var ample = program.Limits{Time: need.Long, OutputBytes: 1e6}

// traceAndPrint traces a program without the privileges that it could still gain.
func traceAndPrint(args []string) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	command := exec.Command(args[0], args[1:]...)
	command.Env, command.Stdout = os.Environ(), os.Stderr
	var r report
	spans, err := Trace(context.Background(), Hidden, command, ample)
	r.Spans = spans
	if err != nil {
		r.Error = err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		panic(err)
	}
}

// forbidPtrace becomes the role "usable" under a seccomp filter that denies ptrace(2), with an
// error or by a signal.
func forbidPtrace(how string) {
	deny := uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EPERM)
	if how == "kill" {
		deny = unix.SECCOMP_RET_KILL_PROCESS
	}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_PTRACE, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: deny},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	code := &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(code)))
	if errno != 0 {
		os.Exit(99)
	}
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	if err := os.Setenv(role, "usable"); err != nil {
		panic(err)
	}
	panic(syscall.Exec(self, os.Args[:1], os.Environ()))
}

func usableOrSkip(t *testing.T) {
	t.Helper()
	need.Processes(t)
	if err := Usable(); err != nil {
		need.Missing(t, "ptrace", err.Error())
	}
}

// compiled returns the path of a program that is compiled from testdata/NAME.c.
func compiled(t *testing.T, name string, flags ...string) string {
	t.Helper()
	return need.Compiled(t, "testdata/"+name+".c", append(flags, "-Werror")...)
}

// counted returns for each mark how many spans it has, by their reads.
func counted(spans []Span) map[string]map[string]int {
	counts := map[string]map[string]int{}
	for _, span := range spans {
		if counts[span.Mark] == nil {
			counts[span.Mark] = map[string]int{}
		}
		text, _ := json.Marshal(span.Reads)
		counts[span.Mark][string(text)]++
	}
	return counts
}

// each returns what counted returns if each mark has n spans with the same reads.
func each(n int, reads map[string][]string) map[string]map[string]int {
	counts := map[string]map[string]int{}
	for mark, names := range reads {
		text, _ := json.Marshal(names)
		counts[mark] = map[string]int{string(text): n}
	}
	return counts
}

// secretive adds a variable that no other process has to the environment of a program, and so of all its descendants.
// It returns a function that fails the test if a process with the variable is left.
func secretive(t *testing.T, program *exec.Cmd) func() {
	t.Helper()
	mark := rand.Text()
	program.Env = append(os.Environ(), "MARK="+mark)
	return func() {
		t.Helper()
		require.Empty(t, need.Marked(t, mark))
	}
}
