package clocksource

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

// What the clock source is after the pipe has closed, by what the measuring process said and left. A guardian writes no line
// end. A new case is a row.
func TestGuardianRestoresWhatMayBeSwitched(t *testing.T) {
	for _, test := range []struct{ said, left, want string }{
		{"ss", "hpet\n", "tsc"},
		// Killed between the announcement and the switch, or the kernel did not use the name: the override stays.
		{"s", "tsc\n", "tsc"},
		{"s", "", "tsc"}, {"s", "\x00\x00", "tsc"}, {"s", "hp et", "tsc"},
		{"", "hpet\n", "hpet\n"}, // another program selected it
	} {
		for _, end := range []error{io.EOF, errors.New("input/output error")} {
			folder := machine(t)
			set(t, folder, current, test.left)
			in := io.MultiReader(strings.NewReader(test.said), iotest.ErrReader(end))
			require.NoError(t, guard(in, io.Discard, folder, "tsc", usualTimeouts))
			require.Equal(t, test.want, content(t, folder), "%+v, %v", test, end)
		}
	}
}

func FuzzGuard(f *testing.F) {
	for _, said := range []string{"", "s", "ss", strings.Repeat("s", 65)} {
		f.Add([]byte(said))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		folder := machine(t)
		set(t, folder, current, "hpet\n")
		require.NoError(t, guard(bytes.NewReader(said), io.Discard, folder, "tsc", usualTimeouts))
		want := "hpet\n"
		if len(said) > 0 {
			want = "tsc"
		}
		require.Equal(t, want, content(t, folder))
	})
}

func TestGuardianEndsWhereNoOneHearsThatItIsReady(t *testing.T) {
	read, write, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, read.Close())
	defer func() { _ = write.Close() }()
	folder := machine(t)
	require.ErrorContains(t, guard(strings.NewReader("s"), write, folder, "tsc", usualTimeouts), "broken pipe")
	require.Equal(t, "tsc\n", content(t, folder))
}

// Both processes of an experiment report their steps. If nobody reads that, the guardian still restores.
func TestDebugOutputOfBothProcesses(t *testing.T) {
	t.Setenv(debuglog.Variable, "1")
	p := startSwitched(t, "forgets", machine(t))
	p.restored()
	for _, line := range []string{"clocksource: guardian started as process ", "guards tsc\n", "guardian: the measuring process did not restore tsc; the guardian did\n"} {
		require.Contains(t, p.said(), line)
	}

	folder := machine(t)
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer func() {
		_ = read.Close() // which ends a guardian that still waits to report
		released(t, folder)
		_ = write.Close()
	}()
	p = startReporting(t, "waits", folder, write)
	_ = p.number()
	require.Equal(t, "switched", p.line())
	size, err := unix.FcntlInt(write.Fd(), unix.F_GETPIPE_SZ, 0)
	require.NoError(t, err)
	go func() { _, _ = write.Write(make([]byte, 2*size)) }()
	full := []unix.PollFd{{Fd: int32(write.Fd()), Events: unix.POLLOUT}}
	require.Eventually(t, func() bool {
		n, err := unix.Poll(full, 0)
		return err == nil && n == 0
	}, time.Minute, time.Millisecond)
	require.NoError(t, p.Process.Kill())
	_ = p.Wait()
	require.Eventually(t, func() bool { return content(t, folder) == "tsc" }, time.Minute, time.Millisecond)
}
