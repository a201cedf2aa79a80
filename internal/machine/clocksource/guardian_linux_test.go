package clocksource

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// Each row has the requests of a measuring process, and the clock source after the pipe has closed. A guardian writes
// no line end.
func TestGuardianRestoresWhatMayBeSwitched(t *testing.T) {
	for _, test := range []struct {
		asked, left string
		switched    bool
		want        string
	}{
		{"hpet\nacpi_pm\n", "tsc\n", false, "tsc"},
		{"hpet", "tsc\n", false, "tsc"},
		{"none\n", "tsc\n", false, "tsc"},
		{"", "hpet\n", false, "hpet\n"}, // another program selected it
		{"", "hpet\n", true, "tsc"},
		{"", "", true, "tsc"}, {"", "\x00\x00", true, "tsc"}, {"", "hp et", true, "tsc"},
	} {
		for _, end := range []error{io.EOF, errors.New("input/output error")} {
			folder := machine(t)
			set(t, folder, current, test.left)
			in := io.MultiReader(strings.NewReader(test.asked), iotest.ErrReader(end))
			require.NoError(t, guard(in, io.Discard, folder, "tsc", test.switched, usualTimeouts))
			require.Equal(t, test.want, content(t, folder), "%+v, %v", test, end)
		}
	}
}

func FuzzGuard(f *testing.F) {
	for _, asked := range []string{"", "hpet\n", "\n", "hpet\ntsc\n\x1b", strings.Repeat("s", 1<<17)} {
		f.Add([]byte(asked))
	}
	f.Fuzz(func(t *testing.T, asked []byte) {
		folder := machine(t)
		require.NoError(t, guard(bytes.NewReader(asked), io.Discard, folder, "tsc", false, shortTimeouts))
		require.Equal(t, "tsc", strings.TrimSpace(content(t, folder)))
	})
}

func TestGuardianEndsWhereNoOneHearsThatItIsReady(t *testing.T) {
	read, write, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, read.Close())
	defer func() { _ = write.Close() }()
	folder := machine(t)
	require.ErrorContains(t, guard(strings.NewReader("hpet\n"), write, folder, "tsc", false, usualTimeouts),
		"broken pipe")
	require.Equal(t, "tsc\n", content(t, folder))
}

// The guardian restores although the debug output has no reader.
func TestDebugOutputDoesNotBlock(t *testing.T) {
	t.Setenv(debuglog.Variable, "1")
	folder := machine(t)
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer func() {
		_ = read.Close() // which ends a guardian that still waits to report
		released(t, folder)
		_ = write.Close()
	}()
	p := startReporting(t, "waits", folder, write)
	_ = p.number()
	require.Equal(t, "switched", p.line())
	size, err := unix.FcntlInt(write.Fd(), unix.F_GETPIPE_SZ, 0)
	require.NoError(t, err)
	go func() { _, _ = write.Write(make([]byte, 2*size)) }()
	full := []unix.PollFd{{Fd: int32(write.Fd()), Events: unix.POLLOUT}}
	need.Until(t, "a full pipe", func() bool {
		n, err := unix.Poll(full, 0)
		return err == nil && n == 0
	})
	require.NoError(t, p.Process.Kill())
	_ = p.Wait()
	need.Until(t, "the original clock source", func() bool { return content(t, folder) == "tsc" })
}
