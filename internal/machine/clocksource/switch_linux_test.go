package clocksource

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/system/procfile"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

func TestSwitchAndRestore(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder, usualTimeouts)
	require.Equal(t, "tsc", s.original)
	require.Equal(t, "tsc\n", content(t, folder), "nothing is switched yet")
	for _, name := range []string{"hpet", "acpi_pm", "tsc", "hpet"} {
		require.NoError(t, s.To(name))
		require.Equal(t, name, content(t, folder))
	}
	require.NoError(t, s.Restore())
	require.Equal(t, "tsc", content(t, folder))
	require.True(t, s.guardian.ProcessState.Success(), s.guardian.ProcessState)
	<-s.Done()
	require.NoError(t, s.Err())
	require.NoError(t, s.Restore(), "once more")
	require.EqualError(t, s.To("hpet"), "clock source tsc has already been restored, so nothing more is switched")
	require.Equal(t, "tsc", content(t, folder))
}

func TestRestoreWritesNothingWhereNothingWasSwitched(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder, usualTimeouts)
	require.ErrorIs(t, s.To("jiffies"), errUnavailable)
	require.NoError(t, s.To("tsc"))
	require.NoError(t, s.Restore())
	require.Equal(t, "tsc\n", content(t, folder))
}

func TestRestoreSaysThatAnotherProgramSwitched(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder, usualTimeouts)
	set(t, folder, current, "hpet\n")
	err := s.Restore()
	require.EqualError(t, err, "the clock source was tsc and is now hpet: another program or the kernel has changed it")
	require.Equal(t, err, s.Restore(), "once more")
	require.Equal(t, "hpet\n", content(t, folder))
}

func TestToRefusesWhatIsNoLongerAvailable(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder, usualTimeouts)
	require.NoError(t, s.To("hpet"))
	set(t, folder, available, "tsc hpet\n")
	require.ErrorIs(t, s.To("acpi_pm"), errUnavailable)
	require.Equal(t, "hpet", content(t, folder))
	set(t, folder, available, "")
	require.ErrorContains(t, s.To("acpi_pm"), "has no name of a clock source")
	set(t, folder, available, "tsc acpi_pm\n")
	require.NoError(t, s.To("acpi_pm"))
	require.NoError(t, s.Restore())
	require.Equal(t, "tsc", content(t, folder))
}

// The name stays the override of the kernel, although the original is in use.
func TestRestoreWritesTheOriginalOverWhatTheKernelDidNotTake(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder, shortTimeouts)
	refuse(t, folder)
	require.ErrorIs(t, s.To("hpet"), unix.EINVAL)
	set(t, folder, current, "tsc\n")
	require.NoError(t, s.Restore())
	require.Equal(t, "tsc", content(t, folder))
}

func TestRestoreThatFailsLeavesItToTheGuardian(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder, usualTimeouts)
	require.NoError(t, s.To("hpet"))
	refuse(t, folder)
	restored := make(chan error)
	go func() { restored <- s.Restore() }()
	time.Sleep(10 * pause)
	set(t, folder, current, "hpet\n")
	require.NoError(t, <-restored)
	require.Equal(t, "tsc", content(t, folder))
}

func TestRestoreThatIsHopelessSaysWhatToType(t *testing.T) {
	folder := machine(t)
	stderr := filepath.Join(t.TempDir(), "stderr")
	s := reported(t, "hasty", folder, stderr)
	require.NoError(t, s.To("hpet"))
	require.NoError(t, os.Remove(folder.path(available)))
	err := s.Restore()
	require.ErrorContains(t, err, "clock source tsc could not be restored: open "+folder.path(available))
	require.ErrorContains(t, err, "source is now hpet; to restore it: echo tsc | sudo tee "+folder.path(current))
	require.Equal(t, err, s.Restore())
	require.NotContains(t, err.Error(), "\n")
	said, err := os.ReadFile(stderr)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(said), "\n"), "%s", said)
	require.Contains(t, string(said), "the clock source is now hpet; to restore it: echo tsc | sudo tee ")
}

// One line is enough: the guardian does not repeat it.
func TestRestoreHasTheKernelChooseWhereTheOriginalIsWithdrawn(t *testing.T) {
	folder := machine(t)
	stderr := filepath.Join(t.TempDir(), "stderr")
	s := reported(t, GuardianCommand, folder, stderr)
	kernel(t, folder)
	require.NoError(t, s.To("acpi_pm"))
	set(t, folder, available, "hpet acpi_pm\n")
	require.EqualError(t, s.Restore(), withdrawnTSC)
	require.Equal(t, "hpet\n", content(t, folder))
	require.True(t, s.guardian.ProcessState.Success(), s.guardian.ProcessState)
	said, err := os.ReadFile(stderr)
	require.NoError(t, err)
	require.Empty(t, said)
}

// reported returns a Switch whose guardian writes its standard error to a file.
func reported(t *testing.T, role string, folder Folder, path string) *Switch {
	t.Helper()
	need.Processes(t)
	stderr, err := os.Create(path)
	require.NoError(t, err)
	defer func() { _ = stderr.Close() }()
	guardian := again(role, folder)
	guardian.Stderr = stderr
	s, err := Hold(folder, guardian)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Restore() })
	return s
}

func TestRestoreFromAnotherGoroutine(t *testing.T) {
	for range 10 {
		folder := machine(t)
		s := holding(t, folder, usualTimeouts)
		require.NoError(t, s.To("hpet"))
		var all sync.WaitGroup
		all.Go(func() { _ = flip(s) })
		for range 2 {
			all.Go(func() {
				if err := s.Restore(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		require.Equal(t, "tsc", content(t, folder))
	}
}

func TestHoldRefuses(t *testing.T) {
	need.Processes(t)
	for role, why := range map[string]string{
		"silent":      "not ready within 300ms; nothing was switched",
		"garbled":     "guardian process of the clock source: invalid answer: invalid character 'h'",
		"endless":     "invalid answer: unexpected EOF; nothing was switched",
		"mistaken":    "changed from tsc to hpet just now",
		"unable":      "no clock source at all",
		"short-lived": "ended before it was ready (exit status 0); nothing was switched",
	} {
		folder := machine(t)
		p := usualTimeouts
		if role == "silent" {
			p.ready = 300 * time.Millisecond
		}
		s, err := hold(folder, again(role, folder), p)
		require.ErrorContains(t, err, why, role)
		require.NotContains(t, err.Error(), "\n")
		require.Nil(t, s)
		require.Equal(t, "tsc\n", content(t, folder))
		released(t, folder)
	}
}

func TestHoldRefusesAGuardianThatCannotStart(t *testing.T) {
	need.Processes(t)
	folder := machine(t)
	_, err := Hold(folder, exec.Command("/none/timebench", GuardianCommand))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "guardian process of the clock source: ")
	released(t, folder)
}

func TestHoldRefusesAFolderThatIsBroken(t *testing.T) {
	for why, damage := range map[string]func(Folder) error{
		"has no name of a clock source": func(f Folder) error { return os.Truncate(f.path(current), 0) },
		"has 2 names of clock sources":  func(f Folder) error { return os.WriteFile(f.path(current), []byte("a b"), 0) },
		"could not be restored, so":     func(f Folder) error { return os.WriteFile(f.path(current), []byte("jiffies"), 0) },
		available + ": has no name":     func(f Folder) error { return os.Truncate(f.path(available), 0) },
		"no such file or directory":     func(f Folder) error { return os.Remove(f.path(available)) },
		"this kernel has no selec":      func(f Folder) error { return os.Remove(f.path(current)) },
		"cannot be the name of a cl":    func(f Folder) error { return os.WriteFile(f.path(available), []byte("\x00"), 0) },
	} {
		folder := machine(t)
		require.NoError(t, damage(folder))
		_, err := Hold(folder, exec.Command("/none/timebench", GuardianCommand))
		require.ErrorContains(t, err, why)
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestTwoDoNotFight(t *testing.T) {
	folder := machine(t)
	one := holding(t, folder, usualTimeouts)
	require.NoError(t, one.To("hpet"))
	_, err := Hold(folder, again(GuardianCommand, folder))
	require.ErrorContains(t, err, "another timebench is switching the clock source")
	require.NoError(t, one.Restore())
	two := holding(t, folder, usualTimeouts)
	require.Equal(t, "tsc", two.original)
}

// Until the guardian of a killed experiment has restored, no other experiment may take the
// current clock source for the original.
func TestGuardianKeepsTheFolderLocked(t *testing.T) {
	folder := machine(t)
	p := startSwitched(t, "waits", folder)
	require.NoError(t, unix.Kill(p.guardian, unix.SIGSTOP))
	require.Eventually(t, func() bool { // the signal may arrive while the guardian already restores
		return strings.HasPrefix(procfile.Field(fmt.Sprintf("/proc/%d/status", p.guardian), "State:"), "T")
	}, time.Minute, time.Millisecond)
	t.Cleanup(func() { _ = unix.Kill(p.guardian, unix.SIGCONT) })
	require.NoError(t, p.Process.Kill())
	_ = p.Wait()
	_, err := Hold(folder, again(GuardianCommand, folder))
	require.ErrorContains(t, err, "another timebench is switching the clock source")
	require.Equal(t, "hpet", content(t, folder))
	require.NoError(t, unix.Kill(p.guardian, unix.SIGCONT))
	p.restored()
}

func TestGuardianIsAlone(t *testing.T) {
	var leak [2]int
	require.NoError(t, unix.Pipe(leak[:]), "not close-on-exec, as if the shell had handed it down")
	for _, fd := range leak {
		defer func() { _ = unix.Close(fd) }()
	}
	theirs, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", leak[0]))
	require.NoError(t, err)
	folder := machine(t)
	s := holding(t, folder, usualTimeouts)
	pid := s.guardian.Process.Pid
	session, err := unix.Getsid(pid)
	require.NoError(t, err)
	require.Equal(t, pid, session)
	at, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	require.NoError(t, err)
	require.Equal(t, "/", at)
	pipe, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", s.pipe.Fd()))
	require.NoError(t, err)
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	require.NoError(t, err)
	open := map[string]string{}
	for _, file := range files {
		if open[filepath.Base(file)], err = os.Readlink(file); err != nil {
			t.Log(err) // closed in between
		}
	}
	require.Equal(t, pipe, open["0"])
	require.Equal(t, string(folder), open["3"], "the lock")
	delete(open, "0")
	require.NotContains(t, open, pipe, "the end that must close")
	for number, file := range open {
		require.NotEqual(t, pipe, file, number)
		require.NotEqual(t, theirs, file, number)
	}
}

func TestGuardianIgnoresSignals(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder, usualTimeouts)
	require.NoError(t, s.To("hpet"))
	pid := s.guardian.Process.Pid
	for _, signal := range []unix.Signal{
		unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGPIPE, unix.SIGALRM, unix.SIGUSR1, unix.SIGUSR2,
	} {
		require.NoError(t, unix.Kill(pid, signal))
		require.True(t, ignored(t, pid, signal), signal)
	}
	for _, signal := range []unix.Signal{unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU} {
		require.NoError(t, unix.Kill(pid, signal))
	}
	require.NoError(t, s.To("acpi_pm"))
	require.NoError(t, s.Restore())
	require.True(t, s.guardian.ProcessState.Success(), s.guardian.ProcessState)
	require.Equal(t, "tsc", content(t, folder))
}

// ignored reports whether a process ignores a signal: SigIgn in proc_pid_status(5).
func ignored(t *testing.T, pid int, signal unix.Signal) bool {
	t.Helper()
	mask, err := strconv.ParseUint(procfile.Field(fmt.Sprintf("/proc/%d/status", pid), "SigIgn:"), 16, 64)
	require.NoError(t, err)
	return mask&(1<<(signal-1)) != 0
}

func TestGuardianThatIsKilledIsRestoredWithout(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder, usualTimeouts)
	require.NoError(t, s.To("hpet"))
	require.NoError(t, s.Err())
	require.NoError(t, s.guardian.Process.Kill())
	<-s.Done()
	require.Equal(t, "tsc", content(t, folder))
	require.EqualError(t, s.Err(), "the guardian process of the clock source ended (signal: killed), so nothing more is switched")
	require.Equal(t, s.Err(), s.To("hpet"))
	require.NoError(t, s.Restore())
	require.Equal(t, "tsc", content(t, folder))
	released(t, folder)
}

func TestNothingIsSwitchedWithoutAGuardian(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder, usualTimeouts)
	s.mutex.Lock() // before watch comes to it
	require.NoError(t, s.guardian.Process.Kill())
	<-s.gone
	require.ErrorIs(t, s.send(switching), unix.EPIPE)
	s.mutex.Unlock()
	require.ErrorContains(t, s.To("hpet"), "the guardian process of the clock source ended (signal: killed)")
	require.NoError(t, s.Restore())
	require.Equal(t, "tsc\n", content(t, folder))
}

func TestGuardianThatDiesInAHopelessPlaceIsAnError(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder, shortTimeouts)
	require.NoError(t, s.To("hpet"))
	refuse(t, folder)
	require.NoError(t, s.guardian.Process.Kill())
	<-s.Done()
	require.ErrorContains(t, s.Restore(), "clock source tsc could not be restored: write ")
}

func TestRestoreWithAGuardianThatIsStopped(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder, shortTimeouts)
	require.NoError(t, s.To("hpet"))
	require.NoError(t, s.guardian.Process.Signal(unix.SIGSTOP))
	require.NoError(t, s.Restore())
	require.Equal(t, "tsc", content(t, folder))
	released(t, folder)
}

// The process is killed at any point while it switches without a pause.
func TestKilledWhileItSwitches(t *testing.T) {
	folder := machine(t)
	for range 60 {
		p := startSwitched(t, "flips", folder)
		time.Sleep(rand.N(3 * time.Millisecond))
		require.NoError(t, p.Process.Kill())
		p.restored()
		require.Empty(t, p.said())
	}
}

// The process is killed at any point from its start to its first switches.
func TestKilledWhileItStarts(t *testing.T) {
	folder := machine(t)
	for range 60 {
		p := start(t, "starts", folder)
		time.Sleep(rand.N(80 * time.Millisecond))
		require.NoError(t, p.Process.Kill())
		p.restored()
	}
}

func TestEveryOtherEnd(t *testing.T) {
	for role, said := range map[string]string{
		"returns": "",
		"forgets": "",
		"fails":   "it failed",
		"panics":  "panic: in a goroutine that no one waits for",
		"faults":  "SIGSEGV",
	} {
		p := startSwitched(t, role, machine(t))
		p.restored()
		if said == "" {
			require.Empty(t, p.said(), role)
		}
		require.Contains(t, p.said(), said, role)
	}
}

func TestSignalsToTheWholeGroup(t *testing.T) {
	for _, number := range []unix.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGKILL} {
		if signal.Ignored(number) { // as nohup(1) has SIGHUP: then it ends nothing
			continue
		}
		p := startSwitched(t, "waits", machine(t))
		require.NoError(t, unix.Kill(-p.Process.Pid, number))
		p.restored()
		require.False(t, p.ProcessState.Success(), number)
	}
	for _, number := range []unix.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP} {
		p := startSwitched(t, "handles", machine(t))
		require.Equal(t, "handles", p.line())
		require.NoError(t, unix.Kill(-p.Process.Pid, number))
		p.restored()
		require.True(t, p.ProcessState.Success(), p.said())
		require.Equal(t, "tsc", content(t, p.folder))
	}
}

// A child that outlives the measuring process keeps neither the pipe open nor the folder locked.
func TestKilledWithAChildThatLivesOn(t *testing.T) {
	p := startSwitched(t, "children", machine(t))
	child := p.number()
	t.Cleanup(func() { _ = unix.Kill(child, unix.SIGKILL) })
	require.NoError(t, p.Process.Kill())
	p.restored()
	require.NoError(t, unix.Kill(child, 0), "the child lives")
}

func TestKilledAndTheOriginalIsWithdrawn(t *testing.T) {
	folder := machine(t)
	p := startSwitched(t, "waits", folder)
	kernel(t, folder)
	set(t, folder, current, "acpi_pm\n")
	set(t, folder, available, "hpet acpi_pm\n")
	require.NoError(t, p.Process.Kill())
	_ = p.Wait()
	released(t, folder)
	require.Equal(t, "hpet\n", content(t, folder))
	requireNoRecord(t, folder)
	require.Equal(t, 1, strings.Count(p.said(), "\n"), p.said())
	require.Contains(t, p.said(), withdrawnTSC)
}

// The measuring process ends after an error of To, without Restore.
func TestGuardianKilledBeforeTheMeasuringProcess(t *testing.T) {
	folder := machine(t)
	for range 20 {
		p := startSwitched(t, "flips", folder)
		require.NoError(t, unix.Kill(p.guardian, unix.SIGKILL))
		p.restored()
		require.Contains(t, p.said(), "the guardian process of the clock source ended (signal: killed)")
	}
}

// The limit in the package documentation exists, and the tests above would see it: nobody restores
// if both processes are killed at the same time.
func TestBothKilledLeaveItSwitched(t *testing.T) {
	folder := machine(t)
	p := startSwitched(t, "waits", folder)
	require.NoError(t, p.Process.Signal(unix.SIGSTOP))
	var status unix.WaitStatus
	_, err := unix.Wait4(p.Process.Pid, &status, unix.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped())
	require.NoError(t, unix.Kill(p.guardian, unix.SIGKILL))
	require.NoError(t, p.Process.Kill())
	_ = p.Wait()
	released(t, folder)
	require.Equal(t, "hpet", content(t, folder))

	left := folder.Abandoned()
	require.NotNil(t, left, "the record tells of it")
	require.Equal(t, "tsc", left.Original)
	require.Equal(t, p.Process.Pid, left.Process.PID)
	require.NoError(t, folder.Recover(left))
	require.Equal(t, "tsc", content(t, folder))
	requireNoRecord(t, folder)
}
