package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/test/need"
)

// The real program in a real terminal, of which script(1) makes one.
func TestARealTerminalIsPainted(t *testing.T) {
	script, timebench := need.Program(t, "script"), need.Timebench(t)
	file := filepath.Join(t.TempDir(), "results.json")
	var document result.Document
	document.Schema = result.Schema
	document.Warnings = []result.Warning{{Kind: "load", Saw: "other programs ran", Spoilt: "much", Advice: "wait"}}
	out, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, document.Write(out))
	require.NoError(t, out.Close())
	shown := func(environment ...string) string {
		command := exec.Command(script, "-qec", timebench+" render "+file, os.DevNull)
		command.Env = append(os.Environ(), append([]string{"TERM=xterm"}, environment...)...)
		text, err := command.Output()
		require.NoError(t, err)
		return string(text)
	}
	require.Contains(t, shown(), "\x1b[33;1mWarning:\x1b[0m other programs ran")
	for _, plain := range []string{"NO_COLOR=1", "TERM=dumb"} {
		require.NotContains(t, shown(plain), "\x1b", plain)
		require.Contains(t, shown(plain), "Warning: other programs ran")
	}
}
