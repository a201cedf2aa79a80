//go:build amd64 || arm64

// Package forbidden runs timebench with system calls and files forbidden, as they are in
// containers, in sandboxes and on machines without root.
package forbidden

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/test/measured"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// forbid is the variable with which this program puts a filter on itself and becomes the program of its arguments: the
// number of a system call and, after a colon, the forbidden value of its first argument.
const forbid = "TIMEBENCH_TEST_FORBID"

func TestMain(m *testing.M) {
	if rule := os.Getenv(forbid); rule != "" {
		become := become
		if rule == counter {
			become = becomeWithoutCounter
		}
		err := become(rule, os.Args[1:])
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(99)
	}
	os.Exit(m.Run())
}

// counter is the rule that forbids the counter of the CPU.
const counter = "counter"

// becomeWithoutCounter forbids this thread to read the counter of the CPU, and becomes the program. Between the two it
// must not read the time, so it prepares all before. It returns only on an error.
func becomeWithoutCounter(_ string, args []string) error {
	path, err := syscall.BytePtrFromString(args[0])
	if err != nil {
		return err
	}
	argv, err := syscall.SlicePtrFromStrings(args)
	if err != nil {
		return err
	}
	envv, err := syscall.SlicePtrFromStrings(os.Environ())
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	if _, _, errno := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_TSC, unix.PR_TSC_SIGSEGV, 0); errno != 0 {
		return errno
	}
	_, _, errno := unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(&argv[0])),
		uintptr(unsafe.Pointer(&envv[0])))
	_, _, _ = unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_TSC, unix.PR_TSC_ENABLE, 0)
	return errno
}

// become forbids the system calls, with EPERM, to this thread and to the program that it becomes. It returns only on an
// error.
func become(rules string, args []string) error {
	runtime.LockOSThread()
	var program []unix.SockFilter
	for rule := range strings.SplitSeq(rules, ",") {
		nr, first, some := strings.Cut(rule, ":")
		number, err := strconv.ParseUint(nr, 10, 32)
		if err != nil {
			return err
		}
		const load, equal = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		refuse := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}
		if !some {
			program = append(program, unix.SockFilter{Code: load}, unix.SockFilter{Code: equal, K: uint32(number), Jf: 1},
				refuse)
			continue
		}
		argument, err := strconv.ParseUint(first, 10, 32)
		if err != nil {
			return err
		}
		program = append(program,
			unix.SockFilter{Code: load}, unix.SockFilter{Code: equal, K: uint32(number), Jf: 3},
			unix.SockFilter{Code: load, K: 16}, unix.SockFilter{Code: equal, K: uint32(argument), Jf: 1}, refuse)
	}
	program = append(program, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if _, _, errno := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER,
		uintptr(unsafe.Pointer(filter))); errno != 0 {
		return errno
	}
	runtime.KeepAlive(program)
	return syscall.Exec(args[0], args, os.Environ())
}

// under runs timebench with system calls forbidden, and returns the document that it
// prints.
func under(t *testing.T, rules []string, args ...string) *result.Document {
	t.Helper()
	return document(t, filtered(t, rules, args...))
}

// filtered returns the command that runs timebench with system calls forbidden.
func filtered(t testing.TB, rules []string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(self, append([]string{need.Timebench(t)}, args...)...)
	command.Env = append(os.Environ(), forbid+"="+strings.Join(rules, ","))
	return command
}

// document runs a command that must end silently, with 0 or 1, and loads its output.
func document(t *testing.T, command *exec.Cmd) *result.Document {
	t.Helper()
	d, said := ran(t, command)
	require.Empty(t, said)
	return d
}

// ran returns the document and the standard error of a command that must end with 0 or 1.
func ran(t *testing.T, command *exec.Cmd) (d *result.Document, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := need.Run(command)
	if command.ProcessState != nil && command.ProcessState.ExitCode() == 99 {
		need.Missing(t, "seccomp", stderr.String())
	}
	if command.ProcessState == nil || command.ProcessState.ExitCode() > 1 {
		require.NoError(t, err, stderr.String())
	}
	return measured.Read(t, stdout.Bytes()), stderr.String()
}

func call(nr int) string { return strconv.Itoa(nr) }

// noFilters are the rules of a container whose programs may not install their own filters.
var noFilters = []string{call(unix.SYS_PRCTL) + ":" + call(unix.PR_SET_SECCOMP), call(unix.SYS_SECCOMP)}

// Without its own filter timebench reports less, but does not contradict its results with the filter. With
// TIMEBENCH_DEBUG=1 it reports each forbidden call and its substitute.
func TestSeccompForbidden(t *testing.T) {
	args := []string{"compare", "CLOCK_MONOTONIC", "CLOCK_MONOTONIC_COARSE@vdso", "CLOCK_PROCESS_CPUTIME_ID@vdso", "--rounds", "1",
		"--throughput-time", "1ms", "--threads", "1", "--format", "json"}
	without := filtered(t, append(noFilters, call(unix.SYS_ADJTIMEX)), args...)
	without.Env = append(without.Env, "TIMEBENCH_DEBUG=1")
	proven := under(t, []string{"1000000"}, args...)
	weighed, said := ran(t, without)
	for _, line := range []string{
		"entry: no seccomp filter: PR_SET_SECCOMP: operation not permitted; comparing CPU time and cost",
		"host: adjtimex(2): operation not permitted",
	} {
		require.Contains(t, said, "timebench: debug: "+line+"\n")
	}
	with := map[string]string{}
	for _, c := range compare.Of(proven).Clocks {
		with[c.ID] = c.KernelEntry
		if c.Available && c.Path == "vdso" {
			require.Equal(t, "seccomp", c.KernelEntryBy, c.ID)
			require.Contains(t, []string{result.Never, result.Always}, c.KernelEntry, c.ID)
		}
	}
	told := 0
	for _, c := range compare.Of(weighed).Clocks {
		if !c.Available || c.Path != "vdso" {
			continue
		}
		require.NotEqual(t, "seccomp", c.KernelEntryBy, c.ID)
		if c.KernelEntry != result.Unknown {
			require.Equal(t, with[c.ID], c.KernelEntry, "%s, by %s", c.ID, c.KernelEntryBy)
			told++
		}
	}
	require.Positive(t, told, "neither CPU time nor cost told anything")
}

// If the counter of the CPU is forbidden, the Go runtime would end by SIGSEGV before it runs any code of the program.
func TestCounterForbidden(t *testing.T) {
	bare := filtered(t, []string{counter})
	if file, err := elf.Open(bare.Args[1]); err == nil && file.Section(".interp") != nil {
		need.Missing(t, "CGO_ENABLED=0", "with cgo, libc reads the counter before timebench starts")
	}
	for _, args := range [][]string{{"version"}, {"doctor"}, {"compare", "RDTSC", "CNTVCT_EL0"}, {"--help"}, {}} {
		command := exec.Command(bare.Path, append(bare.Args[1:2:2], args...)...)
		command.Env = bare.Env
		said, err := command.CombinedOutput()
		require.Error(t, err)
		if command.ProcessState.ExitCode() == 99 {
			need.Missing(t, "PR_SET_TSC", string(said))
		}
		require.Equal(t, 1, command.ProcessState.ExitCode(), "%v: %v: %s", args, err, said)
		require.Regexp(t, `^timebench: prctl\(PR_SET_TSC\) forbids .*\n$`, string(said), "%v", args)
		require.Equal(t, 1, strings.Count(string(said), "\n"))
	}
}

// A filter that forbids the clocks' own system calls leaves the clocks that the vDSO answers.
func TestClockGettimeForbidden(t *testing.T) {
	rules := []string{call(unix.SYS_CLOCK_GETTIME), call(unix.SYS_GETTIMEOFDAY)}
	d := under(t, rules, "doctor", "--fast", "--fail-on", "never", "--format", "json")
	for _, c := range compare.Of(d).Clocks {
		if c.Path == "syscall" {
			require.False(t, c.Available, c.ID)
			require.Equal(t, "operation not permitted (EPERM)", c.Reason, c.ID)
		}
		if c.ID == "CLOCK_MONOTONIC_COARSE@vdso" {
			require.True(t, c.Available, c.Reason)
			require.Positive(t, c.Latency.MedianNS)
			require.Less(t, c.Latency.MedianNS, 1e6, "the stopwatch stands still")
		}
	}
	for _, name := range []string{"clock_gettime", "gettimeofday"} {
		require.Contains(t, d.Host.RefusedCalls, result.RefusedCall{Call: name, Errno: "EPERM", Seccomp: true})
	}
	require.Positive(t, compare.Of(d).FloorNS, "the stopwatch of the empty call stands still")
	said, err := filtered(t, rules, "compare", "--workers", "processes", "--threads", "1", "--rounds",
		"1").CombinedOutput()
	require.Error(t, err)
	require.Equal(t,
		"timebench: worker processes have no stopwatch in common: clock_gettime(2): operation not permitted\n", string(said))
	both := under(t, append(rules, noFilters...), "doctor", "--fast", "--fail-on", "never", "--format", "json")
	require.NotEmpty(t, compare.Of(both).Clocks)
}

// A user without privileges gets a diagnosis, and the kernel's log or the reason why it is missing.
func TestNobody(t *testing.T) {
	if os.Getuid() != 0 {
		need.Missing(t, "root", "only root becomes somebody else")
	}
	program := need.Timebench(t)
	for folder := program; folder != "/" && folder != "."; folder = folder[:max(1, strings.LastIndex(folder, "/"))] {
		require.NoError(t, os.Chmod(folder, 0o755))
		if strings.Count(folder, "/") < 3 {
			break
		}
	}
	command := exec.Command(program, "doctor", "--fast", "--fail-on", "never", "--format", "json")
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	d := document(t, command)
	require.NotNil(t, d.Host.KernelLog)
	require.NotEqual(t, d.Host.KernelLog.Source == "", d.Host.KernelLog.Reason == "", "%+v", d.Host.KernelLog)
	for _, c := range compare.Of(d).Clocks {
		if c.Path == "vdso" && c.Available {
			require.Equal(t, "seccomp", c.KernelEntryBy, c.ID)
		}
	}
}

// A container without /sys has clocks, but reports no clock source. The mounts are visible to the child only.
func TestWithoutSysfs(t *testing.T) {
	if os.Getuid() != 0 {
		need.Missing(t, "root", "only root hides /sys from a program")
	}
	command := exec.Command(need.Program(t, "sh"), "-c",
		`mount --make-rprivate / && mount -t tmpfs none /sys && exec "$0" "$@"`,
		need.Timebench(t), "doctor", "--fast", "--fail-on", "never", "--format", "json")
	command.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	d := document(t, command)
	require.Nil(t, d.Host.ClockSource)
	require.NotEmpty(t, compare.Of(d).Clocks)
	for _, f := range d.Findings {
		require.NotContains(t, f.Title, "because the clock source is")
	}
}
