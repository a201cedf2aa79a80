//go:build lab && linux

package lab

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

func TestSpoiltConsoleIsRefused(t *testing.T) {
	var empty bytes.Buffer
	packer := gzip.NewWriter(&empty)
	_, err := packer.Write(make([]byte, 1024)) // the end of a tar
	require.NoError(t, err)
	require.NoError(t, packer.Close())
	whole := base64.StdEncoding.EncodeToString(empty.Bytes())

	said, err := unpack("[    1.5] ### begin\r\n[    1.6] " + whole + "\r\n[    1.7] ### over\r\n")
	require.NoError(t, err)
	require.Empty(t, said)
	for name, console := range map[string]string{
		"nothing":      "",
		"no end":       begin + "\n" + whole + "\n",
		"no beginning": whole + "\n" + over + "\n",
		"not base64":   begin + "\n" + whole[:8] + "[oops]" + whole[8:] + "\n" + over + "\n",
		"cut off":      begin + "\n" + whole[:16] + "\n" + over + "\n",
		"not packed":   begin + "\nAAAA\n" + over + "\n",
	} {
		_, err := unpack(console)
		require.Error(t, err, name)
	}
}

func TestMachineThatDoesNotStart(t *testing.T) {
	emulator := need.Program(t, x86)
	_, err := boot(t.Context(), t.TempDir(), emulator, []string{"-kernel", "nothing"}, nil)
	require.ErrorContains(t, err, "nothing")
}

// Without a kernel the firmware waits for ever.
func TestMachineThatDoesNotEnd(t *testing.T) {
	emulator := need.Program(t, x86)
	limited, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := boot(limited, t.TempDir(), emulator, nil, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
