package profile

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/system/process"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
	"github.com/timebench/timebench/test/readers"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	program.Main(nil) // a command waits at its gate in a process of this program
	flag.Parse()
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))) // most of these tests wait
	os.Exit(m.Run())
}

func none(time.Duration, time.Duration) {}

func measured(context.Context) ([]compare.Clock, error) { return fast, nil }

// allowed skips the test where this process may not sample in this way.
func allowed(t *testing.T, s Settings) {
	t.Helper()
	need.Processes(t)
	s.RateHz = DefaultRate
	if err := Check(s); err != nil {
		need.Missing(t, "perf events", err.Error())
	}
}

// profiled returns the profile of processes.
func profiled(t *testing.T, s Settings) Profile {
	t.Helper()
	s.RateHz = cmp.Or(s.RateHz, DefaultRate)
	p, err := Run(t.Context(), s, measured, none)
	require.NoError(t, err)
	return p
}

// only returns the single entry of a process.
func only(t *testing.T, p Profile, pid int) Process {
	t.Helper()
	i := slices.IndexFunc(p.Processes, func(p Process) bool { return p.PID == pid })
	require.GreaterOrEqual(t, i, 0, "process %d is not in the profile", pid)
	return p.Processes[i]
}

// Programs read a clock for a known part of their time: none, all, or some of it.
func TestRealPrograms(t *testing.T) {
	t.Parallel()
	allowed(t, Settings{PIDs: []int{os.Getpid()}})
	reader := readers.Build(t, "c")
	var all []*readers.Running
	s := Settings{Time: 500 * time.Millisecond, RateHz: 3989}
	for _, o := range []readers.Options{
		{Read: "none"}, {Read: "vdso", Percent: 10}, {Read: "vdso", Percent: 50}, {Read: "vdso",
			Percent: 100}, {Read: "syscall", Percent: 100}, {Read: "vdso", Percent: 50, Threads: 4},
	} {
		o.Seconds = 1000 // until the test ends
		r := reader.Start(t, o)
		all, s.PIDs = append(all, r), append(s.PIDs, r.PID())
	}
	for _, r := range all {
		r.Go()
	}
	p := profiled(t, s)
	// Beside other programs they get few CPUs, and a few samples are no share. A burst of interrupts was seen to take a
	// sixth of the samples of 2 s.
	spoilt := func(r Process) bool { return r.Samples < 100 || r.PID == all[3].PID() && r.UserShare <= 0.9 }
	for ; s.Time < 30*time.Second && slices.ContainsFunc(p.Processes, spoilt); p = profiled(t, s) {
		s.Time *= 4
	}
	require.Equal(t, Processes, p.Scope)
	of := func(i int) Process { return only(t, p, all[i].PID()) }
	for i := range all {
		require.Greater(t, of(i).Samples, 20)
		require.Contains(t, of(i).Command, "reader-c")
		require.Empty(t, of(i).Reason)
	}
	require.NotNil(t, of(0).ClockShare)
	require.Zero(t, *of(0).ClockShare, "it reads no clock")
	require.Less(t, *of(1).ClockShare, *of(2).ClockShare)
	require.Less(t, *of(2).ClockShare, *of(3).ClockShare)
	require.Greater(t, of(3).ClockShareHigh, 0.9, "it does nothing else")
	require.Greater(t, of(3).UserShare, 0.8)
	require.NotEmpty(t, of(3).Callers)
	require.Contains(t, of(3).Callers[0].Functions[0], "clock_gettime (libc")
	if p.SeesKernel {
		require.Greater(t, of(4).SyscallShare, 0.6)
		require.Zero(t, of(4).KernelShare)
	}
	require.Len(t, of(5).Threads, 4)
}

// A command is profiled from its first instruction to its end, and so are the processes that it starts.
func TestCommand(t *testing.T) {
	t.Parallel()
	allowed(t, Settings{Command: []string{"true"}})
	timebench := need.Timebench(t)
	run := func(args ...string) (out []byte, status int) {
		command := exec.Command(timebench, append([]string{"profile"}, args...)...)
		out, _ = command.Output() // the status is what it returns
		return out, command.ProcessState.ExitCode()
	}
	out, status := run("--format", "csv", "--", "sh", "-c",
		need.Compiled(t, "testdata/leaderless.c", "-O2")+" 300; exit 3")
	require.Equal(t, 3, status, "that of the command")
	require.Regexp(t, `(?m)^leaderless,[^,]*,\d+,,`, string(out))
	require.Regexp(t, `(?m)^reads,[^,]*,\d+,\d+,`, string(out), "the name of a thread that has ended")
	require.NotContains(t, string(out), "\ntimebench,", "what waits is timebench, and is not sampled")
	out, status = run("--quiet", "--", "sh", "-c", "echo to standard error; kill -9 $$")
	require.Equal(t, 128+9, status, "as a shell has it")
	require.Contains(t, string(out), "The command ended with exit status 137.")
	require.NotContains(t, string(out), "to standard error\n", "results go to standard output and nothing else does")
	damaged := t.TempDir() + "/damaged"
	require.NoError(t, os.WriteFile(damaged, []byte("\x7fELF"), 0o755)) //nolint:gosec // it is run
	out, err := exec.Command(timebench, "profile", "--", damaged).Output()
	require.Empty(t, out)
	require.Equal(t, fmt.Sprintf("timebench: the command cannot be started: %s: exec format error\n", damaged), string(err.(*exec.ExitError).Stderr)) //nolint:errorlint // of exec
}

// The command ends with timebench, also if timebench is killed. If timebench ends the command, the processes that the
// command started end too.
func TestCommandEndsWithTimebench(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	allowed(t, Settings{Command: []string{"true"}})
	for _, signals := range [][]os.Signal{{unix.SIGKILL}, {unix.SIGTERM}, {unix.SIGINT, unix.SIGINT}} {
		command := exec.Command(need.Timebench(t), "profile", "--", "sh", "-c",
			`trap "" TERM INT; sleep 1000 & echo $$ $!; while :; do sleep 0.1; done`)
		out, err := command.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, command.Start())
		var pid, started int
		_, err = fmt.Fscanf(out, "%d %d", &pid, &started)
		require.NoError(t, err)
		for i, signal := range signals {
			time.Sleep(time.Duration(i) * 300 * time.Millisecond)
			require.NoError(t, command.Process.Signal(signal))
		}
		require.Error(t, command.Wait())
		gone := func(pid int) func() bool { return func() bool { return ProcessOf(pid) == 0 } }
		need.Until(t, fmt.Sprintf("the end of the command after %v", signals), gone(pid))
		if signals[0] == unix.SIGTERM {
			need.Until(t, fmt.Sprintf("the end of its child after %v", signals), gone(started))
		} else {
			_ = unix.Kill(started, unix.SIGKILL)
		}
	}
}

// The processes that a process started before are in its profile, also after its end.
func TestChildrenAreProfiled(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	allowed(t, Settings{PIDs: []int{os.Getpid()}})
	command := exec.Command("sh", "-c", `sh -c 'i=0; while [ $i -lt 4000000 ]; do i=$((i+1)); done' & echo $!; sleep 3`)
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	var child int
	_, err = fmt.Fscan(out, &child)
	require.NoError(t, err)
	p := profiled(t, Settings{Time: 2 * need.Long, PIDs: []int{command.Process.Pid}})
	require.NoError(t, command.Wait())
	require.Positive(t, only(t, p, child).Samples)
	require.False(t, process.Lives(child))
	require.Less(t, p.DurationNS, int64(need.Long), "it ends with them")
}

// A process whose first thread ended has an empty memory map. Its reads are seen nevertheless.
func TestFirstThreadThatEnded(t *testing.T) {
	t.Parallel()
	allowed(t, Settings{})
	command := exec.Command(need.Compiled(t, "testdata/leaderless.c", "-O2"), "3600000")
	require.NoError(t, command.Start())
	defer func() { _, _ = command.Process.Kill(), command.Wait() }()
	pid := command.Process.Pid
	need.Until(t, "the end of the first thread", func() bool { return firstEnded(pid) })
	p := only(t, profiled(t, Settings{Time: time.Second, PIDs: []int{pid}}), pid)
	require.Empty(t, p.Reason)
	require.Greater(t, p.ClockShareHigh, 0.5)
	require.Positive(t, p.UserShare+p.KernelShare) // of a few samples on a busy machine
	require.NotEmpty(t, p.Callers)
	require.Contains(t, p.Callers[0].Functions[0], "clock_gettime (libc")
	require.Len(t, p.Threads, 1)
	require.Equal(t, "reads", p.Threads[0].Name)
	require.Equal(t, cgroupOf("/proc/self"), p.Cgroup)
}

// A process that ended in the meantime is an error, also for root. A process that was not reaped counts as ended, and
// not as a process without a vDSO.
func TestProcessThatEndsBefore(t *testing.T) {
	allowed(t, Settings{PIDs: []int{os.Getpid()}})
	command := exec.Command("true")
	require.NoError(t, command.Start())
	pid := command.Process.Pid
	need.Until(t, "the end of the first thread", func() bool { return firstEnded(pid) })
	s := Settings{RateHz: DefaultRate, Time: MinTime, PIDs: []int{pid}}
	require.ErrorIs(t, Check(s), errEndedBefore, "it was not reaped yet")
	require.Equal(t, "its memory map could not be read: it had ended", newInspector().look(pid).reason)
	require.NoError(t, command.Wait())
	require.ErrorIs(t, Check(s), errEndedBefore)
	_, err := Run(t.Context(), s, measured, none)
	require.ErrorIs(t, err, errEndedBefore)
	require.NoError(t, Check(Settings{PIDs: []int{pid, os.Getpid()}}), "one of several lives")
}

// The kernel may not answer for a process that waits for a page. Then the next ones are not read for a while.
func TestProcessThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	need.Processes(t)
	release := make(chan struct{})
	defer close(release)
	l := newInspector()
	l.lookAt = func(int) look { <-release; return look{} }
	for range 100 {
		found := l.look(os.Getppid())
		require.Equal(t, "the files of processes in /proc take too long to read", found.reason)
		require.Equal(t, threadName(os.Getppid(), os.Getppid()), found.command)
	}
	l.until, l.lookAt = time.Now(), func(int) look { return look{command: "answers"} }
	require.Equal(t, look{command: "answers"}, l.look(os.Getppid()))
}

// unshared runs a profile in new namespaces.
func unshared(t *testing.T, namespaces string, args ...string) (output string, err error) {
	t.Helper()
	command := append(strings.Fields(namespaces), need.Timebench(t), "profile")
	out, err := exec.Command(need.Program(t, "unshare"), append(command, args...)...).CombinedOutput()
	if strings.HasPrefix(string(out), "unshare: ") {
		need.Missing(t, "unshare", string(out))
	}
	return string(out), err
}

// In a /proc of another PID namespace, processes have other numbers than in the records.
func TestProcOfAnotherNamespace(t *testing.T) {
	t.Parallel()
	need.Processes(t)
	if os.Geteuid() != 0 {
		need.Missing(t, "root", "only root can make a PID namespace")
	}
	out, err := unshared(t, "--pid --fork", "--duration", "100ms")
	require.Error(t, err)
	require.Regexp(t, `^timebench: /proc belongs to another PID namespace: this process is 1, and \d+ there; mount its own \(unshare --mount-proc\)\n$`, out)
}

// Records have the time of the kernel, also in a time namespace.
func TestTimeNamespace(t *testing.T) {
	t.Parallel()
	allowed(t, Settings{})
	busy := need.Compiled(t, "testdata/leaderless.c", "-O2")
	out, err := unshared(t, "--time --monotonic 86400", "--format", "json", "--", busy, "200")
	require.NoError(t, err, out)
	require.Positive(t, profileIn(t, []byte(out)).Samples)
}

// usuallyParanoid skips a test if users have other rights than on most machines.
func usuallyParanoid(t *testing.T) {
	t.Helper()
	if paranoid() != "2" {
		need.Missing(t, "perf_event_paranoid", "kernel.perf_event_paranoid is "+paranoid())
	}
}

// Root of a user namespace has no rights of root: the kernel's setting counts for it.
func TestRootOfAUserNamespace(t *testing.T) {
	t.Parallel()
	need.Processes(t)
	usuallyParanoid(t)
	out, err := unshared(t, "--user --map-root-user", strconv.Itoa(os.Getpid()), "--duration", "100ms")
	require.Error(t, err)
	require.Contains(t, out,
		"root of a user namespace, as of a container without root, may sample no more than an ordinary user (kernel.perf_event_paranoid is 2)")
}

// Without CAP_SYSLOG the kernel hides its functions. Only the system calls of the vDSO are known to read clocks then.
func TestHiddenFunctionsOfTheKernel(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	allowed(t, Settings{})
	if os.Geteuid() != 0 {
		need.Missing(t, "root", "only root can give up CAP_SYSLOG alone")
	}
	usuallyParanoid(t)
	// On an idle machine there may be nothing to sample.
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for ctx.Err() == nil {
		}
	}()
	out, err := exec.Command(need.Program(t, "setpriv"), "--bounding-set", "-syslog", need.Timebench(t), "profile",
		"--duration", "100ms", "--format", "json").Output()
	require.NoError(t, err)
	p := profileIn(t, out)
	require.True(t, p.SeesKernel)
	require.Equal(t, Machine, p.Scope)
	require.Equal(t, []string{"which system calls read clocks: /proc/kallsyms hides the addresses; that needs root or CAP_SYSLOG (kernel.kptr_restrict)"}, p.Unseen)
	require.NotEmpty(t, p.Processes)
}

// profileIn returns the profile of a document.
func profileIn(t testing.TB, document []byte) Profile {
	t.Helper()
	var of struct {
		Profile Profile `json:"profile"`
	}
	require.NoError(t, json.Unmarshal(document, &of))
	return of.Profile
}

// When ctx ends, the profile is of the time before.
func TestInterruptedProfile(t *testing.T) {
	t.Parallel()
	allowed(t, Settings{PIDs: []int{os.Getpid()}})
	ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	p, err := Run(ctx, Settings{RateHz: DefaultRate, Time: time.Hour, PIDs: []int{os.Getpid()}}, measured, none)
	require.NoError(t, err)
	require.Less(t, p.DurationNS, int64(time.Minute))
	require.Positive(t, p.DurationNS)
}

func TestProcessOfANumberOrAName(t *testing.T) {
	allowed(t, Settings{PIDs: []int{os.Getpid()}})
	require.Equal(t, os.Getpid(), ProcessOf(os.Getpid()))
	require.Equal(t, os.Getpid(), ProcessOf(process.Threads(os.Getpid())[1]), "a thread")
	require.NotEmpty(t, NamedProcesses(threadName(os.Getppid(), os.Getppid())))
}

// Programs write their state or all their arguments into the first one.
func TestProgramsThatChangeTheirArguments(t *testing.T) {
	need.Processes(t)
	for first, name := range map[string]string{
		"/usr/lib/postgres: checkpointer": "postgres", "/opt/chrome --type=gpu --path=/usr/share": "chrome", "redis *:6379": "redis *:6379",
	} {
		command := exec.Command(need.Program(t, "sleep"))
		command.Args = []string{first, "3600"}
		require.NoError(t, command.Start())
		var arguments []byte
		for len(arguments) == 0 { // Start returns before the kernel has set them
			var err error
			arguments, err = os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", command.Process.Pid))
			require.NoError(t, err)
		}
		require.Equal(t, name, commandOf(command.Process.Pid))
		_, _ = command.Process.Kill(), command.Wait()
	}
}

// A run leaves no file open, whether it succeeds or not.
func TestNoFileIsLeft(t *testing.T) {
	allowed(t, Settings{PIDs: []int{os.Getpid()}})
	profiled(t, Settings{Time: MinTime, PIDs: []int{os.Getpid()}}) // files that Go opens once
	before := need.OpenFiles()
	for range 2 {
		profiled(t, Settings{Time: MinTime, PIDs: []int{os.Getpid()}})
		require.NoError(t, Check(Settings{RateHz: DefaultRate, PIDs: []int{os.Getpid()}}))
		_, err := Run(t.Context(), Settings{RateHz: DefaultRate, Time: MinTime, Command: []string{"/no such program"}},
			measured, none)
		require.Error(t, err)
	}
	require.Equal(t, before, need.OpenFiles())
}

// nobody runs shell scripts as the user nobody, in a folder with timebench.
type nobody struct {
	setpriv, folder string
}

// asNobody skips the test if it cannot become another user, or if that user has other rights than on most machines.
func asNobody(t *testing.T) nobody {
	t.Helper()
	need.Processes(t)
	if os.Geteuid() != 0 {
		need.Missing(t, "root", "only root can become another user")
	}
	usuallyParanoid(t)
	setpriv := need.Program(t, "setpriv")
	// Other users cannot enter the folders of the test.
	folder, err := os.MkdirTemp("/tmp", "timebench-test-*")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	require.NoError(t, os.Chmod(folder, 0o777)) //nolint:gosec // others enter it
	timebench, err := os.ReadFile(need.Timebench(t))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(folder+"/timebench", timebench, 0o755)) //nolint:gosec // others run it
	return nobody{setpriv, folder}
}

// run returns the output of a script, which ends with exit status 0.
func (n nobody) run(t *testing.T, script string, args ...string) (stdout, stderr string) {
	t.Helper()
	command := exec.Command(n.setpriv, append([]string{"--reuid", "65534", "--regid", "65534", "--clear-groups", "sh",
		"-c", script, "sh"}, args...)...)
	command.Dir, command.Env = n.folder, []string{"PATH=/usr/bin:/bin"}
	var errors strings.Builder
	command.Stderr = &errors
	out, err := command.Output()
	require.NoError(t, err, errors.String())
	return string(out), errors.String()
}

// An ordinary user samples own processes, thread by thread and in user mode. The profile reports what it does not see.
func TestOrdinaryUser(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	n := asNobody(t)
	need.Program(t, "python3")
	const reader = `
import threading, time
def read():
    while True: time.time()
for i in range(2): threading.Thread(target=read, daemon=True).start()
time.sleep(3600)
`
	script := fmt.Sprintf(`python3 -c "$1" & sleep 1; ./timebench profile $! --duration 1s --format csv; ./timebench profile $! --duration 1s --quiet; ./timebench profile --format csv -- sh -c 'python3 -c "import time; [time.time() for i in range(10**7)]"; exit 0'; ./timebench profile %d; echo status $? >&2; kill $!`, os.Getpid())
	out, errors := n.run(t, script, reader)
	require.Contains(t, out, "Not seen: what a read does in the kernel:")
	require.Contains(t, out, "at least")
	require.Contains(t, errors, fmt.Sprintf("process %d, which belongs to another user or is not dumpable: ",
		os.Getpid()))
	require.Contains(t, errors, "status 1\n")
	require.Equal(t, 5, strings.Count(out, "\npython3,"), "a process and its two threads, and a command's child with one")
}

// A child that may not be sampled is reported, and its parent is sampled. A process that the user names must be
// allowed. If the processes of an ordinary user are idle, the profile reports that it does not see the others.
func TestProtectedChild(t *testing.T) {
	t.Parallel()
	n := asNobody(t)
	need.Program(t, "python3")
	const protected = `import ctypes, time
ctypes.CDLL(None).prctl(4, 0) # PR_SET_DUMPABLE
open("ready", "w")
time.sleep(3600)`
	out, errors := n.run(t, `python3 -c "$1" & until [ -e ready ]; do sleep 0.1; done; ./timebench profile $$ --duration 300ms --quiet; ./timebench profile $! --duration 300ms; echo status $? >&2; ./timebench profile --duration 300ms --quiet; kill $!`, protected)
	text := strings.Join(strings.Fields(out), " ")
	require.Contains(t, text, "Not seen: the processes of other users: that needs root (use sudo),")
	require.Contains(t, text, "Not seen: 1 process that they started, of another user or not dumpable: that needs root (use sudo),")
	require.Contains(t, errors, "perf_event_open: permission denied: sampling needs root (use sudo)")
	require.Contains(t, errors, "status 1\n")
}

// If files run out, the profile reports how many threads it does not see, and samples the others.
func TestFewFiles(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	n := asNobody(t)
	many, err := os.ReadFile(need.Compiled(t, "testdata/many.c", "-O2"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(n.folder+"/many", many, 0o755)) //nolint:gosec // others run it
	const threads, files = 300, 64
	script := fmt.Sprintf(`(while :; do :; done) & busy=$!; mkfifo in; ./many 1 %d < in > ready & exec 9> in; until grep -q ready ready; do sleep 0.1; done; ulimit -n %d; ./timebench profile $busy $(cut -d" " -f2 ready) --duration 1s --quiet; kill $busy`, threads, files)
	profile, _ := n.run(t, script)
	cpus := onlineCPUs()
	require.Contains(t, strings.Join(strings.Fields(profile), " "),
		fmt.Sprintf("too many open files; the limit is %d (ulimit -n), and sampling needs %d beside those in use",
			files, (1+threads)*len(cpus)))
	require.Regexp(t, `Not seen: all but [1-9][0-9]* threads`, profile)
	require.Contains(t, profile, "(it is 2)", "the setting is read while files can be opened")
}

// The programs would have no names without a file to read them from.
func TestEventsLeaveFilesForProcesses(t *testing.T) {
	require.True(t, leavesFiles(256, 1024))
	require.False(t, leavesFiles(1000, 1024))
}

// firstEnded reports whether the first thread of a process has ended.
func firstEnded(pid int) bool {
	stat, err := process.Stat(pid)
	return err == nil && process.FirstEnded(stat)
}
