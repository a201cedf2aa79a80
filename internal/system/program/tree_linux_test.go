package program

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// sleeping returns the numbers of the marked processes that are sleep(1).
func sleeping(t *testing.T, text string) (found []string) {
	t.Helper()
	for _, p := range need.Marked(t, text) {
		if number, arguments, _ := strings.Cut(p, " "); arguments == "sleep 1000 " {
			found = append(found, number)
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
		"daemon, no environment":          {`(setsid env -i sh -c "sleep 1000; : $MARK" &); echo on`, ample, ""},
		"ends its parent":                 {`(setsid sleep 1000 &); for s in TERM INT HUP QUIT PIPE USR1; do kill -$s $PPID; done; echo on`, ample, ""},
		"forks in a loop":                 {`i=0; while [ $i -lt 300 ]; do sleep 1000 & i=$((i+1)); done; echo on`, ample, ""},
		"forks without end":               {chain(``), ample, ""},
		"forks without end, new sessions": {chain(`os.setsid()`), ample, ""},
		"stopped":                         {`sleep 1000 & kill -STOP $!; kill -STOP $$`, short, "did not end within 1s"},
		"stops its runner":                {`sleep 1000 & kill -STOP $PPID; exit 3`, short, "did not end within 1s"},
		"first thread exits": {
			`setsid python3 -I -S -c '
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(1000,)).start()
ctypes.CDLL(None).syscall(60 if __import__("os").uname().machine == "x86_64" else 93, 0)
' & sleep 0.5; echo on`, ample, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mark := rand.Text()
			cmd := exec.Command("/bin/sh", "-c", c.text)
			cmd.Env = append(os.Environ(), "MARK="+mark)
			_, err := Run(t.Context(), cmd, Limits{Time: c.limit, OutputBytes: 1e6})
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, c.want)
			}
			assert.Empty(t, need.Marked(t, mark))
		})
	}
}

// TestOthersAreLeftAlone has other children, which make daemons while the program runs.
func TestOthersAreLeftAlone(t *testing.T) {
	need.Processes(t)
	needSubreaper(t)
	need.Program(t, "setsid")
	mark := rand.Text()
	others := exec.Command("/bin/sh", "-c",
		"while :; do (setsid sleep 1000 &); sleep 0.05; done & setsid sleep 1000 & sleep 1000")
	others.Env = append(os.Environ(), "MARK="+mark)
	require.NoError(t, others.Start())
	t.Cleanup(func() {
		_ = others.Process.Kill()
		_ = others.Wait()
		for left := need.Marked(t, mark); len(left) > 0; left = need.Marked(t, mark) {
			for _, p := range left {
				number, _, _ := strings.Cut(p, " ")
				pid, err := strconv.Atoi(number)
				require.NoError(t, err)
				_ = unix.Kill(pid, unix.SIGKILL)
			}
		}
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	own := rand.Text()
	ended := make(chan error)
	go func() {
		_, err := Run(ctx, exec.Command("/bin/sh", "-c", "setsid sh -c 'sleep 1000; : "+own+"' & sleep 1000"),
			usual)
		ended <- err
	}()
	const withRunner = 3
	need.Until(t, "the runner", func() bool { return len(need.Marked(t, own)) == withRunner })
	already := len(sleeping(t, mark))
	need.Until(t, "five processes that sleep", func() bool { return len(sleeping(t, mark)) >= already+5 })
	before := sleeping(t, mark)
	enough := errors.New("enough")
	cancel(enough)
	require.ErrorIs(t, <-ended, enough)
	assert.Empty(t, need.Marked(t, own))
	assert.Subset(t, sleeping(t, mark), before)
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
