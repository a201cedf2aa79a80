package cmd

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Names of files and of clocks stand in errors, and standard error is a terminal.
func TestAnErrorIsOneLineThatNoTerminalObeys(t *testing.T) {
	require.Equal(t, "results.json]0;owned [2J: is \ufffdempty 31m",
		oneLine("results.json]0;owned\a\t\r\n\x1b[2J: is \u202eempty\u2028\u009b31m"))
}
