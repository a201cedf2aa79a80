package clocksource

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/renameio/v2"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// No test of this package switches the clock source of the machine it runs on: each
// has a folder of plain files. Their content ends with a newline, as in sysfs, but a Switch or a
// guardian writes no newline. So a test can see whether one of them has written.
func fake(t testing.TB, now string, offered ...string) Folder {
	t.Helper()
	root := t.TempDir()
	folder := Folder(root) + Sysfs
	require.NoError(t, os.MkdirAll(string(folder), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(root, "run"), 0o755))
	set(t, folder, current, now+"\n")
	set(t, folder, available, strings.Join(offered, " ")+" \n")
	return folder
}

// machine is a fake PC.
func machine(t testing.TB) Folder { return fake(t, "tsc", "tsc", "hpet", "acpi_pm") }

// shortTimeouts are for steps that fail.
var shortTimeouts = timeouts{ready: usualTimeouts.ready, settle: 20 * time.Millisecond, restore: 60 * time.Millisecond}

// set replaces a file in one step, because a guardian may be writing to it.
func set(t testing.TB, folder Folder, file, text string) {
	t.Helper()
	require.NoError(t, renameio.WriteFile(folder.path(file), []byte(text), 0o644))
}

func content(t testing.TB, folder Folder) string {
	t.Helper()
	text, err := os.ReadFile(folder.path(current))
	require.NoError(t, err)
	return string(text)
}

// kernel does what the kernel does after a write of an empty line: it selects the first available
// clock source, until the test ends. Start processes before it: a user-mode emulator may not
// be able to fork while another thread is busy.
func kernel(t testing.TB, folder Folder) {
	t.Helper()
	ended, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
			}
			if text, err := os.ReadFile(folder.path(current)); err != nil || string(text) != "\n" {
				continue
			}
			if offered, err := folder.Available(); err == nil {
				_ = renameio.WriteFile(folder.path(current), []byte(offered[0]+"\n"), 0o644)
			}
		}
	}()
	t.Cleanup(func() { close(ended); <-gone })
}

// withdrawnTSC is the error if the kernel no longer offers tsc and selected another.
const withdrawnTSC = `the original clock source "tsc" is not available (available: hpet, acpi_pm): the kernel withdraws a clock source that it finds unstable (see dmesg);` +
	" the kernel selected hpet instead"

// refuse makes the kernel refuse every write, and show "0" as the clock source in use:
// oom_score_adj accepts only numbers.
func refuse(t testing.TB, folder Folder) {
	t.Helper()
	require.NoError(t, os.Remove(folder.path(current)))
	require.NoError(t, os.Symlink("/proc/self/oom_score_adj", folder.path(current)))
}

// roles are what this test binary does when it is started again: a guardian, good or bad, or a measuring process.
var roles = program.Roles{
	GuardianRole: Guard,
	"silent":     func([]string) error { _, err := io.Copy(io.Discard, os.Stdin); return err },

	"starts":   measuring(flip),
	"flips":    switched(flip),
	"waits":    switched(forever),
	"forgets":  switched(func(*Switch) error { return nil }),
	"panics":   switched(panics),
	"faults":   switched(faults),
	"handles":  switched(handles),
	"children": switched(children),
}

func TestMain(m *testing.M) {
	program.Main(roles)
	os.Exit(m.Run())
}

// again returns the command of a role.
func again(role string, folder Folder) *exec.Cmd {
	command := program.Role(role, string(folder))
	// The race detector makes a process wait for one second before it ends.
	command.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	return command
}

func measuring(then func(*Switch) error) func([]string) error {
	return func(args []string) error {
		s, err := Hold(Folder(args[0]))
		if err != nil {
			return err
		}
		fmt.Println(s.guardian.PID())
		return then(s)
	}
}

// switched runs a measuring process that has switched.
func switched(then func(*Switch) error) func([]string) error {
	return measuring(func(s *Switch) error {
		if err := s.To("hpet"); err != nil {
			return err
		}
		fmt.Println("switched")
		return then(s)
	})
}

func flip(s *Switch) error {
	for {
		for _, name := range []string{"acpi_pm", "hpet"} {
			if err := s.To(name); err != nil {
				return err
			}
		}
	}
}

// forever waits as long as a measurement: with a timer, without which the Go runtime sees a deadlock.
func forever(*Switch) error { time.Sleep(time.Hour); return nil }

func panics(*Switch) error {
	go func() { panic("in a goroutine that no one waits for") }()
	return forever(nil)
}

func faults(*Switch) error {
	if err := unix.Kill(unix.Getpid(), unix.SIGSEGV); err != nil {
		return err
	}
	return forever(nil)
}

func handles(s *Switch) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
	fmt.Println("handles")
	<-signals
	return s.Restore()
}

// children leaves a child that was started after the guardian.
func children(*Switch) error {
	child := exec.Command("sleep", "600")
	if err := child.Start(); err != nil {
		return err
	}
	fmt.Println(child.Process.Pid)
	return forever(nil)
}

// A measurer is a measuring process, as a test sees it.
type measurer struct {
	*exec.Cmd
	t        *testing.T
	folder   Folder
	lines    *bufio.Scanner
	errors   string // the file of its standard error, and of its guardian's
	guardian int
}

// start starts a measuring process as the leader of its own process group.
func start(t *testing.T, role string, folder Folder) *measurer {
	t.Helper()
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	defer func() { _ = stderr.Close() }()
	return startReporting(t, role, folder, stderr)
}

// startReporting is start with a file as the standard error of both processes.
func startReporting(t *testing.T, role string, folder Folder, stderr *os.File) *measurer {
	t.Helper()
	need.Processes(t)
	p := &measurer{Cmd: again(role, folder), t: t, folder: folder, errors: stderr.Name()}
	p.Stderr = stderr
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = p.Wait()
	})
	p.lines = bufio.NewScanner(out)
	return p
}

// startSwitched starts a measuring process and returns when it has switched.
func startSwitched(t *testing.T, role string, folder Folder) *measurer {
	t.Helper()
	p := start(t, role, folder)
	p.guardian = p.number()
	require.Equal(t, "switched", p.line())
	return p
}

func (p *measurer) line() string {
	p.t.Helper()
	if !p.lines.Scan() {
		require.Fail(p.t, "it ended", p.said())
	}
	return p.lines.Text()
}

func (p *measurer) number() (n int) {
	p.t.Helper()
	_, err := fmt.Sscan(p.line(), &n)
	require.NoError(p.t, err)
	return n
}

func (p *measurer) said() string {
	text, err := os.ReadFile(p.errors)
	require.NoError(p.t, err)
	return string(text)
}

// restored waits until the measuring process and its guardian have ended, and
// requires the original.
func (p *measurer) restored() {
	p.t.Helper()
	_ = p.Wait()
	released(p.t, p.folder)
	name, err := p.folder.Current()
	require.NoError(p.t, err, p.said())
	require.Equal(p.t, "tsc", name, p.said())
	requireNoRecord(p.t, p.folder)
}

func requireNoRecord(t testing.TB, folder Folder) {
	t.Helper()
	require.NoDirExists(t, filepath.Dir(folder.record()))
	require.Nil(t, folder.Abandoned())
}

// released waits until no process locks the folder.
func released(t *testing.T, folder Folder) {
	t.Helper()
	need.Until(t, "the lock", func() bool {
		lock, err := folder.lock(unix.LOCK_EX)
		return err == nil && lock.Close() == nil
	})
}

// holding returns a Switch of this process, which is restored when the test ends.
func holding(t *testing.T, folder Folder) *Switch {
	t.Helper()
	need.Processes(t)
	s, err := Hold(folder)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Restore() })
	return s
}
