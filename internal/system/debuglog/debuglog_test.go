package debuglog

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// reported returns what fn writes to standard error, with traces on or off.
func reported(t *testing.T, enabled bool, fn func()) string {
	t.Helper()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer func(was *os.File, wasOn bool) { os.Stderr, on = was, wasOn }(os.Stderr, on)
	os.Stderr, on = write, enabled
	fn()
	require.NoError(t, write.Close())
	text, err := io.ReadAll(read)
	require.NoError(t, err)
	require.NoError(t, read.Close())
	return string(text)
}

func TestPrintf(t *testing.T) {
	say := func() {
		Printf("vdso", "%s found at %#x", "__vdso_time", 4096)
		Printf("clock", "%v", errors.New("one\ntwo \x1b[31mred\x9b"))
	}
	require.Equal(t, "timebench: debug: vdso: __vdso_time found at 0x1000\n"+
		"timebench: debug: clock: one two  [31mred\ufffd\n", reported(t, true, say))
	require.Empty(t, reported(t, false, say))
}

func TestThroughSeparatesReports(t *testing.T) {
	var rest strings.Builder
	text := "timebench: debug: vdso: found\ntimebench: no memory\ntimebench: debug: a: b\npanic: x\n\tcut"
	for _, size := range []int{1, 7, len(text)} {
		rest.Reset()
		got := reported(t, true, func() {
			w := Through(&rest, "worker 2")
			for left := text; left != ""; {
				n, err := io.WriteString(w, left[:min(size, len(left))])
				require.NoError(t, err)
				left = left[n:]
			}
		})
		require.Equal(t, "timebench: debug: worker 2: vdso: found\ntimebench: debug: worker 2: a: b\n", got)
		require.Equal(t, "timebench: no memory\npanic: x\n", rest.String())
	}
	require.Same(t, &rest, Through(&rest, "worker 2"), "reports are off")
}
