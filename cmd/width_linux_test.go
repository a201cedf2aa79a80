package cmd

import (
	"fmt"
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
	for arguments, test := range map[string]struct{ columns, least int }{
		"list": {80, 60}, "env": {80, 60}, "--help": {80, 60}, "doctor --fast --fail-on never --quiet": {80, 60},
		"compare --rounds 6 --throughput-time 1ms --threads 1,2 --quiet": {80, 60},
		"drift --duration 20ms": {60, 35}, // its announcement is wider; a busy machine has few rates
	} {
		command := exec.Command(script, "-qec", fmt.Sprintf("stty cols %d; %s %s", test.columns, timebench, arguments), os.DevNull)
		command.Env = slices.DeleteFunc(append(os.Environ(), "TERM=xterm"),
			func(v string) bool { return strings.HasPrefix(v, "COLUMNS=") })
		out := string(need.Output(t, command))
		widest := 0
		for line := range strings.SplitSeq(out, "\r\n") {
			width := text.StringWidthWithoutEscSequences(line)
			require.LessOrEqual(t, width, test.columns, "%s: %s", arguments, line)
			widest = max(widest, width)
		}
		require.Greater(t, widest, test.least, "%s: %s", arguments, out)
	}
}
