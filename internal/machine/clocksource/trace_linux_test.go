package clocksource

import (
	"bufio"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// Both processes of an experiment trace their steps. The guardian inherits standard error.
func TestBothProcessesReport(t *testing.T) {
	t.Setenv(debuglog.Variable, "1")
	p := startSwitched(t, "returns", machine(t))
	p.restored()
	for _, line := range []string{
		fmt.Sprintf("clocksource: guardian started as process %d", p.guardian),
		fmt.Sprintf("guardian: process %d guards tsc", p.guardian),
		"guardian: nothing to restore",
	} {
		require.Contains(t, p.said(), "timebench: debug: "+line+"\n")
	}
	p = startSwitched(t, "forgets", machine(t))
	p.restored()
	require.Contains(t, p.said(), "timebench: debug: guardian: the measuring process did not restore tsc; the guardian did\n")
}

// If nobody reads the traces, the guardian still restores.
func TestReportsThatNobodyReadsDelayNoRestore(t *testing.T) {
	need.Processes(t)
	t.Setenv(debuglog.Variable, "1")
	folder := machine(t)
	read, write, err := os.Pipe()
	require.NoError(t, err)
	p := again("waits", folder)
	p.Stderr = write
	p.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	defer func() {
		_ = p.Process.Kill()
		_ = p.Wait()
		_ = read.Close() // which ends a guardian that still waits to report
		released(t, folder)
		_ = write.Close()
	}()
	lines := bufio.NewScanner(out)
	for _, want := range []string{"", "switched"} { // the first is the guardian's number
		require.True(t, lines.Scan(), lines.Err())
		require.Contains(t, lines.Text(), want)
	}
	require.NoError(t, lines.Err())
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
