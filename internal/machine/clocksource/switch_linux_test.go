package clocksource

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/system/procfile"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

func TestSwitchAndRestore(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder)
	require.Equal(t, "tsc\n", content(t, folder), "nothing is switched yet")
	for _, name := range []string{"hpet", "acpi_pm", "tsc", "hpet"} {
		require.NoError(t, s.To(name))
		require.Equal(t, name, content(t, folder))
	}
	for _, name := range []string{"jiffies", "", "../tsc", "tsc hpet"} {
		require.ErrorContains(t, s.To(name), "is not available (available: tsc, hpet, acpi_pm)", name)
	}
	require.Equal(t, "hpet", content(t, folder))
	require.NoError(t, s.Restore())
	require.Equal(t, "tsc", content(t, folder))
	require.NoError(t, s.Restore(), "once more")
	require.EqualError(t, s.To("hpet"), "clock source tsc has already been restored, so nothing more is switched")
	require.Equal(t, "tsc", content(t, folder))
}

// One line is enough: the guardian does not repeat it.
func TestRestoreReportsAnOriginalThatIsWithdrawn(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder)
	kernel(t, folder)
	require.NoError(t, s.To("acpi_pm"))
	set(t, folder, available, "hpet acpi_pm\n")
	require.EqualError(t, s.Restore(), withdrawnTSC)
	require.EqualError(t, s.Restore(), withdrawnTSC, "once more")
	require.Equal(t, "hpet\n", content(t, folder))
	requireNoRecord(t, folder)
}

func TestHoldRefusesAGuardian(t *testing.T) {
	need.Processes(t)
	defer func(usual func(...string) *exec.Cmd) { newGuardian = usual }(newGuardian)
	for role, why := range map[string]string{
		"silent":      "did not answer within 300ms; the clock source was not switched",
		"nobody":      "ended (exit status 2); the clock source was not switched",
		"not started": "no such file or directory; the clock source was not switched",
	} {
		folder := machine(t)
		newGuardian = func(...string) *exec.Cmd { return program.Role(role) }
		if role == "not started" {
			newGuardian = func(...string) *exec.Cmd { return exec.Command("/none/timebench") }
		}
		ready := need.Long // on a busy machine the others end late
		if role == "silent" {
			ready = 300 * time.Millisecond
		}
		_, err := hold(&Switch{folder: folder, original: "tsc", timeouts: timeouts{ready: ready}})
		require.ErrorContains(t, err, "guardian process of the clock source: ")
		require.ErrorContains(t, err, why, role)
		require.NotContains(t, err.Error(), "\n")
		require.Equal(t, "tsc\n", content(t, folder))
		released(t, folder)
	}
	newGuardian = func(...string) *exec.Cmd { return program.Role("nobody") }
	require.ErrorContains(t, machine(t).Recover(&Record{Original: "tsc"}),
		"ended (exit status 2); the clock source was not restored", "it is switched by an experiment that was killed")
}

// If the guardian is killed or stopped, another one restores instead of switching further.
func TestRestoredWithoutTheGuardian(t *testing.T) {
	usual := newGuardian
	defer func() { newGuardian = usual }()
	for _, number := range []unix.Signal{unix.SIGKILL, unix.SIGSTOP} {
		for _, to := range []bool{false, true} {
			folder := machine(t)
			s := holding(t, folder)
			require.NoError(t, s.To("hpet"))
			if number == unix.SIGSTOP {
				s.timeouts = timeouts{} // it will not answer
			}
			newGuardian = func(args ...string) *exec.Cmd {
				s.timeouts = usualTimeouts
				return usual(args...)
			}
			s.guardian.Signal(number)
			if to {
				require.ErrorContains(t, s.To("acpi_pm"), "the guardian process of the clock source ", number)
			}
			require.NoError(t, s.Restore(), number)
			newGuardian = usual
			require.Equal(t, "tsc", content(t, folder), number)
			released(t, folder)
			requireNoRecord(t, folder)
		}
	}
}

// The name stays the override of the kernel, although the original is in use.
func TestRestoreWritesTheOriginalOverWhatTheKernelDidNotTake(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder)
	refuse(t, folder)
	require.ErrorContains(t, s.To("hpet"), unix.EINVAL.Error())
	set(t, folder, current, "tsc\n")
	require.NoError(t, s.Restore())
	require.Equal(t, "tsc", content(t, folder))
}

func TestHoldRefusesAFolderThatIsBroken(t *testing.T) {
	as := func(text string) func(Folder) error {
		return func(f Folder) error { return os.WriteFile(f.path(current), []byte(text), 0) }
	}
	for why, damage := range map[string]func(Folder) error{
		current + ": has no name of a clock source": as("\n"),
		"at most 31 printable":                      as(strings.Repeat("x", 32)),
		`"ts\x1b[31mc" cannot be the name`:          as("ts\x1b[31mc"),
		current + ": has 2 names of clock sources":  as("tsc hpet"),
		"could not be restored, so":                 as("jiffies"),
		available + ": has no name":                 func(f Folder) error { return os.Truncate(f.path(available), 0) },
		"not a regular file": func(f Folder) error { // a file without an end
			return errors.Join(os.Remove(f.path(available)), os.Symlink("/dev/zero", f.path(available)))
		},
		"no such file or directory; this kernel has no selec": func(f Folder) error { return os.Remove(f.path(current)) },
		"is a directory": func(f Folder) error {
			return errors.Join(os.Remove(f.path(current)), os.Mkdir(f.path(current), 0o755))
		},
	} {
		folder := machine(t)
		require.NoError(t, damage(folder))
		_, err := Hold(folder)
		require.ErrorContains(t, err, why)
		require.NotContains(t, err.Error(), "\n")
	}
	folder := machine(t)
	require.NoError(t, os.Chmod(folder.path(current), 0o444))
	require.ErrorContains(t, asNobody(func() error {
		_, err := Hold(folder)
		return err
	}), "permission denied; only root may switch")
}

// Until the guardian of a killed experiment has restored, no other experiment may take the
// current clock source for the original, and doctor does not report it.
func TestGuardianKeepsTheFolderLocked(t *testing.T) {
	folder := machine(t)
	p := startSwitched(t, "waits", folder)
	require.NoError(t, unix.Kill(p.guardian, unix.SIGSTOP))
	need.Until(t, "a stopped guardian", func() bool { // the signal may arrive while the guardian already restores
		return strings.HasPrefix(procfile.Field(fmt.Sprintf("/proc/%d/status", p.guardian), "State:"), "T")
	})
	t.Cleanup(func() { _ = unix.Kill(p.guardian, unix.SIGCONT) })
	require.NoError(t, p.Process.Kill())
	_ = p.Wait()
	_, err := Hold(folder)
	require.ErrorContains(t, err, "another timebench is switching the clock source")
	require.Equal(t, "hpet", content(t, folder))
	require.FileExists(t, folder.record())
	require.Nil(t, folder.Abandoned())
	require.NoError(t, unix.Kill(p.guardian, unix.SIGCONT))
	p.restored()
}

// A kill by the name timebench does not reach the guardian, nor does a signal for the group.
func TestGuardianIsAlone(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder)
	require.NoError(t, s.To("hpet"))
	pid := s.guardian.PID()
	of := func(file string) string {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
		require.NoError(t, err)
		return string(text)
	}
	require.Equal(t, GuardianName+"\n", of("comm"))
	require.LessOrEqual(t, len(GuardianName), 15, "TASK_COMM_LEN")
	require.True(t, strings.HasPrefix(of("cmdline"), GuardianName+"\x00"), of("cmdline"))
	require.NotContains(t, GuardianName, "timebench", "pkill finds a part of a name")
	session, err := unix.Getsid(pid)
	require.NoError(t, err)
	require.Equal(t, pid, session)
	for link, want := range map[string]string{"cwd": "/", "fd/3": string(folder)} {
		at, err := os.Readlink(fmt.Sprintf("/proc/%d/%s", pid, link))
		require.NoError(t, err)
		require.Equal(t, want, at)
	}
	for _, signal := range []unix.Signal{
		unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGPIPE, unix.SIGALRM, unix.SIGUSR1, unix.SIGUSR2,
	} {
		require.NoError(t, unix.Kill(pid, signal))
		mask, err := strconv.ParseUint(procfile.Field(fmt.Sprintf("/proc/%d/status", pid), "SigIgn:"), 16, 64)
		require.NoError(t, err)
		require.NotZero(t, mask&(1<<(signal-1)), signal)
	}
	for _, signal := range []unix.Signal{unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU} {
		require.NoError(t, unix.Kill(pid, signal))
	}
	require.NoError(t, s.To("acpi_pm"))
	// Root has CAP_SYS_RESOURCE on most machines, but not in every container. The machines of the
	// lab have it.
	if score := of("oom_score_adj"); score != "-1000\n" {
		need.Missing(t, "CAP_SYS_RESOURCE", "oom_score_adj of the guardian is "+strings.TrimSpace(score))
	}
	own, err := os.ReadFile("/proc/self/oom_score_adj")
	require.NoError(t, err)
	require.NotEqual(t, "-1000\n", string(own), "the measuring process is to be killed first")
}

// The measuring process, or the guardian, is killed at any point while it switches without a pause.
func TestKilledWhileItSwitches(t *testing.T) {
	t.Parallel()
	folder := machine(t)
	for i := range 60 {
		p := startSwitched(t, "flips", folder)
		time.Sleep(rand.N(3 * time.Millisecond))
		if i%2 == 0 {
			require.NoError(t, p.Process.Kill())
		} else {
			require.NoError(t, unix.Kill(p.guardian, unix.SIGKILL))
		}
		p.restored()
		require.Equal(t, i%2 == 1,
			strings.Contains(p.said(), "the guardian process of the clock source ended (signal: killed)"), p.said())
	}
}

// The process is killed at any point from its start to its first switches.
func TestKilledWhileItStarts(t *testing.T) {
	t.Parallel()
	folder := machine(t)
	for range 30 {
		p := start(t, "starts", folder)
		time.Sleep(rand.N(80 * time.Millisecond))
		require.NoError(t, p.Process.Kill())
		p.restored()
	}
}

// The process ends by itself; by a signal for its group, which the guardian does not get; or by a signal that it
// handles.
func TestEveryOtherEnd(t *testing.T) {
	t.Parallel()
	for role, said := range map[string]string{"forgets": "", "panics": "panic: in a goroutine that no one waits for",
		"faults": "SIGSEGV"} {
		p := startSwitched(t, role, machine(t))
		p.restored()
		require.Contains(t, p.said(), said, role)
	}
	for role, numbers := range map[string][]unix.Signal{
		"waits":   {unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGKILL},
		"handles": {unix.SIGINT, unix.SIGTERM, unix.SIGHUP},
	} {
		for _, number := range numbers {
			if role == "waits" && signal.Ignored(number) { // as nohup(1) has SIGHUP: then it ends nothing
				continue
			}
			p := startSwitched(t, role, machine(t))
			if role == "handles" {
				require.Equal(t, "handles", p.line())
			}
			require.NoError(t, unix.Kill(-p.Process.Pid, number))
			p.restored()
			require.Equal(t, role == "handles", p.ProcessState.Success(), "%s: %s", number, p.said())
		}
	}
}

// A child that outlives the measuring process keeps neither the pipe open nor the folder locked.
func TestKilledWithAChildThatLivesOn(t *testing.T) {
	t.Parallel()
	p := startSwitched(t, "children", machine(t))
	child := p.number()
	t.Cleanup(func() { _ = unix.Kill(child, unix.SIGKILL) })
	require.NoError(t, p.Process.Kill())
	p.restored()
	require.NoError(t, unix.Kill(child, 0), "the child lives")
}

// If both are killed, the record stays, for doctor and for the next experiment.
func TestBothKilled(t *testing.T) {
	t.Parallel()
	folder := machine(t)
	p := startSwitched(t, "waits", folder)
	require.NoError(t, p.Process.Signal(unix.SIGSTOP))
	var status unix.WaitStatus
	_, err := unix.Wait4(p.Process.Pid, &status, unix.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped())
	require.Nil(t, folder.Abandoned(), "it runs")
	require.NoError(t, unix.Kill(p.guardian, unix.SIGKILL))
	require.NoError(t, p.Process.Kill())
	_ = p.Wait()
	released(t, folder)
	require.Equal(t, "hpet", content(t, folder))

	left := folder.Abandoned()
	require.NotNil(t, left)
	require.Equal(t, "tsc", left.Original)
	require.Equal(t, p.Process.Pid, left.PID)
	for path, mode := range map[string]os.FileMode{folder.record(): 0o644, filepath.Dir(folder.record()): 0o755} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm(), "doctor needs no root")
	}
	require.NoError(t, folder.Recover(left))
	require.Equal(t, "tsc", content(t, folder))
	requireNoRecord(t, folder)
}
