package program

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/system/process"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// marked returns the live processes that have the text in their environment or their arguments, as
// "PID arguments". It does not use what Run uses to find them.
func marked(t *testing.T, text string) (found []string) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, folder := range processes {
		threads, _ := filepath.Glob(folder + "/task/*") // the first one can be a zombie, without both files
		for _, thread := range threads {
			environment, _ := os.ReadFile(thread + "/environ")
			arguments, _ := os.ReadFile(thread + "/cmdline")
			if strings.Contains(string(environment), text) || strings.Contains(string(arguments), text) {
				found = append(found, filepath.Base(folder)+" "+strings.ReplaceAll(string(arguments), "\x00", " "))
				break
			}
		}
	}
	return found
}

// needSubreaper ends a test on a system that does not emulate the attribute.
func needSubreaper(t *testing.T) {
	t.Helper()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0); err != nil {
		need.Missing(t, "processes", "PR_SET_CHILD_SUBREAPER: "+err.Error())
	}
}

// chain returns a script in which each child lives on and its parent exits, so that the number always
// changes. It ends by itself, and is slow, so that it cannot exhaust the machine.
func chain(change string) string {
	return `exec python3 -I -S -c '
import os, time
end = time.time() + 10
while time.time() < end:
    if os.fork():
        os._exit(0)
    ` + change + `
    time.sleep(0.001)
'`
}

// TestNothingIsLeftRunning runs scripts that try to leave something behind. Each of their processes
// has $MARK in its arguments or its environment. A new script is a row.
func TestNothingIsLeftRunning(t *testing.T) {
	need.Processes(t)
	needSubreaper(t)
	need.Program(t, "setsid")
	need.Program(t, "python3")
	const short = time.Second
	for name, c := range map[string]struct {
		text  string
		limit time.Duration
		want  string
	}{
		"background":                      {`sleep 1000 & sleep 1000 & echo on`, ample, ""},
		"no end":                          {`sleep 1000`, short, "did not end within 1s"},
		"ignores signals":                 {`trap '' TERM INT HUP; while :; do sleep 1; done`, short, "did not end within 1s"},
		"fails":                           {`sleep 1000 & exit 3`, ample, "exit status 3"},
		"prints for ever":                 {`yes & setsid yes & wait`, ample, "printed more than 1000000 bytes"},
		"session":                         {`setsid sh -c 'sleep 1000; :' & echo on`, ample, ""},
		"daemon":                          {`setsid sh -c '(setsid sh -c "trap \"\" TERM HUP; sleep 1000; :" >/dev/null 2>&1 &)' & echo on`, ample, ""},
		"daemon, no end":                  {`(setsid sh -c '(sleep 1000 >/dev/null &)' &); sleep 1000`, short, "did not end within 1s"},
		"holds the outputs":               {`setsid sh -c '(sleep 1000 &)' & exit 0`, ample, ""},
		"no environment":                  {`env -i sh -c "sleep 1000; : $MARK" & echo on`, ample, ""},
		"forks in a loop":                 {`i=0; while [ $i -lt 300 ]; do sleep 1000 & i=$((i+1)); done; echo on`, ample, ""},
		"forks without end":               {chain(``), ample, ""},
		"forks without end, new sessions": {chain(`os.setsid()`), ample, ""},
		"group": {
			`exec python3 -I -S -c '
import os, time
if os.fork() == 0:
    os.setpgid(0, 0)
    if os.fork():
        os._exit(0)
    time.sleep(1000)
os.wait()
'`, ample, "",
		},
		"group, no environment": {
			`exec python3 -I -S -c '
import os
if os.fork() == 0:
    os.setpgid(0, 0)
    if os.fork():
        os._exit(0)
    os.execve("/bin/sh", ["sh", "-c", "sleep 1000; : $0", os.environ["MARK"]], {})
os.wait()
'`, ample, "",
		},
		"stopped": {`sleep 1000 & kill -STOP $!; kill -STOP $$`, short, "did not end within 1s"},
		"first thread exits": {
			`setsid python3 -I -S -c '
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(1000,)).start()
ctypes.CDLL(None).syscall(60 if __import__("os").uname().machine == "x86_64" else 93, 0)
' & sleep 0.5; echo on`, ample, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			mark := rand.Text()
			cmd := exec.Command("/bin/sh", "-c", c.text)
			cmd.Env = append(os.Environ(), "MARK="+mark)
			_, err := Run(t.Context(), cmd, Limits{Time: c.limit, OutputBytes: 1e6})
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, c.want)
			}
			assert.Empty(t, marked(t, mark))
		})
	}
}

// TestOthersAreLeftAlone has children that are not the program's, one of them as the guardian of
// internal/machine/clocksource is: of this file, in a session of its own, started while the program runs.
func TestOthersAreLeftAlone(t *testing.T) {
	need.Processes(t)
	needSubreaper(t)
	mark := rand.Text()
	start := func(cmd *exec.Cmd) {
		if cmd.Env == nil {
			cmd.Env = os.Environ()
		}
		cmd.Env = append(cmd.Env, "MARK="+mark)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			assert.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
		})
	}
	sleep := need.Program(t, "sleep")
	inSession := func(cmd *exec.Cmd, attributes syscall.SysProcAttr) *exec.Cmd {
		cmd.SysProcAttr = &attributes
		return cmd
	}
	start(exec.Command(sleep, "1000"))
	start(inSession(exec.Command(sleep, "1000"), syscall.SysProcAttr{Setsid: true}))
	// A child of a child, which becomes an orphan while the program runs.
	short := exec.Command("/bin/sh", "-c", "sleep 1000.5 & read line")
	short.Env = append(os.Environ(), "MARK="+mark)
	input, err := short.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, short.Start())
	ctx, cancel := context.WithCancelCause(t.Context())
	own := rand.Text()
	ended := make(chan error)
	go func() {
		_, err := Run(ctx, exec.Command("/bin/sh", "-c", "setsid sh -c 'sleep 1000; : "+own+"' & sleep 1000"), Limits{Time: ample, OutputBytes: 1e6})
		ended <- err
	}()
	require.Eventually(t, func() bool { return len(marked(t, own)) == 2 }, ample, 10*time.Millisecond)
	start(exec.Command(sleep, "1000"))
	start(inSession(exec.Command(sleep, "1000"), syscall.SysProcAttr{Setpgid: true}))
	start(inSession(playing(t, "sleep"), syscall.SysProcAttr{Setsid: true}))
	_, err = input.Write([]byte("\n"))
	require.NoError(t, err)
	require.NoError(t, short.Wait(), "its child is an orphan now")
	enough := errors.New("enough")
	cancel(enough)
	require.ErrorIs(t, <-ended, enough)
	assert.Empty(t, marked(t, own))
	var orphan, others []string
	for _, p := range marked(t, mark) {
		if strings.HasSuffix(p, " 1000.5 ") {
			orphan = append(orphan, p)
		} else {
			others = append(others, p)
		}
	}
	assert.Len(t, others, 5)
	require.Len(t, orphan, 1)
	number, _, _ := strings.Cut(orphan[0], " ")
	pid, err := strconv.Atoi(number)
	require.NoError(t, err)
	require.NoError(t, unix.Kill(pid, unix.SIGKILL))
	_, _ = unix.Wait4(pid, nil, 0, nil) // it is a child of this process now
}

// TestTheDaemonsOfOthersAreLeftAlone has a child that started before the program, and starts daemons
// while it runs. They become children of this process.
func TestTheDaemonsOfOthersAreLeftAlone(t *testing.T) {
	need.Processes(t)
	needSubreaper(t)
	need.Program(t, "setsid")
	mark := rand.Text()
	daemons := func() (found []string) {
		for _, p := range marked(t, mark) {
			if number, arguments, _ := strings.Cut(p, " "); arguments == "sleep 1000.5 " {
				found = append(found, number)
			}
		}
		return found
	}
	other := exec.Command("/bin/sh", "-c", "i=0; while [ $i -lt 100 ]; do (setsid sleep 1000.5 &); sleep 0.05; i=$((i+1)); done; sleep 1000")
	other.Env = append(os.Environ(), "MARK="+mark)
	require.NoError(t, other.Start())
	t.Cleanup(func() {
		_ = other.Process.Kill()
		_ = other.Wait()
		for left := marked(t, mark); len(left) > 0; left = marked(t, mark) { // one can be on its way to sleep
			for _, p := range left {
				number, _, _ := strings.Cut(p, " ")
				pid, err := strconv.Atoi(number)
				require.NoError(t, err)
				_ = unix.Kill(pid, unix.SIGKILL)
				_, _ = unix.Wait4(pid, nil, 0, nil)
			}
		}
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	own := rand.Text()
	ended := make(chan error)
	go func() {
		_, err := Run(ctx, exec.Command("/bin/sh", "-c", "sleep 1000; : "+own), Limits{Time: ample, OutputBytes: 1e6})
		ended <- err
	}()
	require.Eventually(t, func() bool { return len(marked(t, own)) > 0 }, ample, 10*time.Millisecond)
	already := len(daemons())
	require.Eventually(t, func() bool { return len(daemons()) >= already+5 }, ample, 10*time.Millisecond)
	before := daemons()
	enough := errors.New("enough")
	cancel(enough)
	require.ErrorIs(t, <-ended, enough)
	assert.Subset(t, daemons(), before)
	assert.Empty(t, marked(t, own))
}

// TestRunInAnotherNamespace has the /proc of the parent's PID namespace.
func TestRunInAnotherNamespace(t *testing.T) {
	need.Processes(t)
	need.Program(t, "setsid")
	cmd := playing(t, "daemon")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID}
	out, err := cmd.Output()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		need.Missing(t, "processes", "a PID namespace: "+err.Error())
	}
	require.NoError(t, err)
	assert.Equal(t, "<nil>\n", string(out))
}

// TestKillProcessChecksTheStart gives the number of a live process and the start of an earlier one.
func TestKillProcessChecksTheStart(t *testing.T) {
	need.Processes(t)
	cmd := exec.Command(need.Program(t, "sleep"), "1000")
	require.NoError(t, cmd.Start())
	stat, err := process.Stat(cmd.Process.Pid)
	require.NoError(t, err)
	p := process.Of(stat)
	require.ErrorIs(t, killProcess(process.ID{PID: p.PID, Started: p.Started - 1}), process.ErrEnded)
	require.NoError(t, cmd.Process.Signal(syscall.Signal(0)), "it must live")
	require.NoError(t, killProcess(p))
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Wait(), &exit)
	require.ErrorIs(t, killProcess(p), process.ErrEnded)
}

// TestTheProgramEndsWithTimebench kills the process that runs the program.
func TestTheProgramEndsWithTimebench(t *testing.T) {
	need.Processes(t)
	mark := rand.Text()
	outer := playing(t, "run")
	outer.Env = append(outer.Env, "MARK="+mark)
	out, err := outer.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, outer.Start())
	require.Eventually(t, func() bool { return len(marked(t, mark)) == 2 }, ample, 10*time.Millisecond)
	require.NoError(t, outer.Process.Kill())
	_ = out.Close()
	_ = outer.Wait()
	require.Eventually(t, func() bool { return len(marked(t, mark)) == 0 }, ample, 10*time.Millisecond)
}
