package perfevent

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// opened returns events for a thread. It skips the test if perf_event_open(2) is not allowed.
func opened(t *testing.T, options Options, tid int) *Events {
	t.Helper()
	e := New(options)
	for cpu := range runtime.NumCPU() {
		if err := e.Open(tid, cpu); err != nil {
			need.Missing(t, "perf events", err.Error())
		}
	}
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// spin uses CPU time.
//
//go:noinline
func spin(until time.Time) (n int) {
	for time.Now().Before(until) {
		n++
	}
	return n
}

// This thread is sampled, with its process, its thread, a rising time, and addresses of it.
func TestSamplesOfThisThread(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	e := opened(t, Options{RateHz: 997, ExcludeKernel: true}, unix.Gettid())
	var samples, foreign int
	for deadline := time.Now().Add(30 * time.Second); samples < 20 && time.Now().Before(deadline); {
		spin(time.Now().Add(50 * time.Millisecond))
		require.NoError(t, e.Read(func(r *Record) {
			if r.Kind != Sample {
				return
			}
			samples++
			require.Empty(t, r.Kernel)
			require.NotEmpty(t, r.User)
			require.NotZero(t, r.TimeNS)
			if r.PID != os.Getpid() || r.TID != unix.Gettid() {
				foreign++
			}
		}))
	}
	require.GreaterOrEqual(t, samples, 20)
	require.Zero(t, foreign)
	require.NoError(t, e.Stop())
}

// A process that a sampled thread starts inherits the events: its start, its program, its vDSO and
// its end are records.
func TestChildrenInherit(t *testing.T) {
	need.Processes(t)
	program := need.Program(t, "true")
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	e := opened(t, Options{RateHz: 997, ExcludeKernel: true, Inherit: true}, unix.Gettid())
	command := exec.Command(program)
	require.NoError(t, command.Run())
	seen := map[Kind][]Record{}
	for deadline := time.Now().Add(30 * time.Second); len(seen[Exit]) == 0 &&
		time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		require.NoError(t, e.Read(func(r *Record) {
			if r.PID == command.Process.Pid {
				seen[r.Kind] = append(seen[r.Kind], *r)
			}
		}))
	}
	require.NotEmpty(t, seen[Exit])
	require.True(t, slices.ContainsFunc(seen[Fork], func(r Record) bool { return r.ParentPID == os.Getpid() }))
	require.True(t, slices.ContainsFunc(seen[Comm], func(r Record) bool { return r.Exec && r.Name == "true" }))
	require.True(t, slices.ContainsFunc(seen[Map], func(r Record) bool { return r.Name == "[vdso]" && r.Length > 0 }))
}
