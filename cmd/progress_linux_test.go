package cmd

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// On a terminal, nothing moves the cursor over what a profiled command prints there.
func TestOutputOfAProfiledCommandStays(t *testing.T) {
	t.Parallel()
	script, timebench := need.Program(t, "script"), need.Program(t, "timebench")
	// Longer than the bar takes to appear, and with a line that has no end yet.
	const prints = `echo first; printf last; sleep 1.2; echo " line"`
	command := exec.Command(script, "-qec", timebench+" profile --format csv -- sh -c '"+prints+"'", os.DevNull)
	command.Env = append(os.Environ(), "TERM=xterm")
	text, err := command.Output()
	if strings.Contains(string(text), "perf_event") {
		need.Missing(t, "perf events", string(text))
	}
	require.NoError(t, err, string(text))
	require.True(t, strings.HasPrefix(string(text), "first\r\nlast line\r\n"), "%q", text)
	require.NotContains(t, string(text), "\x1b")
}
