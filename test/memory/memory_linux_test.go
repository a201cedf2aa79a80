package memory_test

import (
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/memory"
	"github.com/timebench/timebench/test/need"
)

// hold is the environment variable with which this test program holds memory until its standard input ends.
const hold = "TIMEBENCH_TEST_HOLD"

const held = 200 << 20

func TestMain(m *testing.M) {
	if os.Getenv(hold) != "" {
		take()
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// take writes to every page of some memory, and returns a byte of it, so that the compiler leaves the writes.
func take() byte {
	bytes := make([]byte, held)
	for i := range bytes {
		bytes[i] = 1
	}
	return bytes[held/2]
}

// The peak is of the program itself, not of the test that started it.
func TestWait(t *testing.T) {
	need.Processes(t)
	require.Equal(t, byte(1), take())
	small := exec.Command(need.Program(t, "sleep"), "0.2")
	require.NoError(t, small.Start())
	peak, err := memory.Wait(small)
	require.NoError(t, err)
	require.Positive(t, peak)
	require.Less(t, peak, int64(held)/2)

	large := exec.Command(os.Args[0])
	large.Env = append(os.Environ(), hold+"=1")
	stdin, err := large.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, large.Start())
	go func() {
		for now := int64(0); now <= held; now, _ = memory.PeakBytes(large.Process.Pid) {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(100 * time.Millisecond) // for Wait to see it, too
		_ = stdin.Close()
	}()
	peak, err = memory.Wait(large)
	require.NoError(t, err)
	require.Greater(t, peak, int64(held))
}
