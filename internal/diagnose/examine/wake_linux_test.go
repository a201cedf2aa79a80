package examine

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	program.Main(program.Roles{
		wake.AwakeRole: wake.KeepAwake,
		"judge":        judge,
	})
	os.Exit(m.Run())
}

// judge prints the kinds of findings on the wake-ups of this process, with their evidence.
func judge([]string) error {
	d := &result.Document{Host: result.Host{OS: "linux"}}
	if w := wakeUps(context.Background(), result.CPU{}, func(time.Duration, time.Duration) {}); w != nil {
		d.Put(w)
	}
	for _, f := range diagnose.Findings(d) {
		fmt.Println(f.Kind, strings.Join(f.Evidence, " | "))
	}
	return nil
}

// A timer slack of 1 ms that a process inherits is found, with its cause; the default is no finding. Another program
// with a large slack, as the tests of wake start one, is a finding of its own.
func TestInheritedSlackIsAFinding(t *testing.T) {
	need.Processes(t)
	require.NotContains(t, judged(t, 50_000), "PR_GET_TIMERSLACK")
	require.Contains(t, judged(t, 1_000_000), "timer-slack prctl(PR_GET_TIMERSLACK): 1 ms, 20 times the default of 50 µs")
}

// judged returns what a process with this timer slack prints about its wake-ups.
func judged(t *testing.T, slackNS uintptr) string {
	t.Helper()
	var out []byte
	var err error
	done := make(chan bool)
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the slack ends with the thread
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, slackNS, 0, 0, 0)
		out, err = program.Role("judge").Output()
	}()
	<-done
	require.NoError(t, err)
	return string(out)
}
