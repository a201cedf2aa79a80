package cmd

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// The output fits the width of the terminal.
func TestOutputFitsARealTerminal(t *testing.T) {
	t.Parallel()
	script, timebench := need.Program(t, "script"), need.Program(t, "timebench")
	for _, arguments := range []string{
		"list", "env", "--help", "doctor --fast --fail-on never --quiet",
		"compare --rounds 6 --throughput-time 1ms --threads 1,2 --quiet",
	} {
		command := exec.Command(script, "-qec", "stty cols 80; "+timebench+" "+arguments, os.DevNull)
		command.Env = slices.DeleteFunc(append(os.Environ(), "TERM=xterm"),
			func(v string) bool { return strings.HasPrefix(v, "COLUMNS=") })
		out, err := command.Output()
		require.NoError(t, err, string(out))
		widest := 0
		for line := range strings.SplitSeq(string(out), "\r\n") {
			width := text.StringWidthWithoutEscSequences(line)
			require.LessOrEqual(t, width, 80, "%s: %s", arguments, line)
			widest = max(widest, width)
		}
		require.Greater(t, widest, 60, "%s: %s", arguments, out)
	}
}
