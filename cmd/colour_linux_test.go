package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/test/need"
)

// The real program in a real terminal, which script(1) makes.
func TestOnlyTablesArePaintedOnARealTerminal(t *testing.T) {
	t.Parallel()
	script, timebench := need.Program(t, "script"), need.Program(t, "timebench")
	file := filepath.Join(t.TempDir(), "results.json")
	var samples []float64
	for i := range 20 {
		samples = append(samples, 800+float64(i))
	}
	document := result.Document{
		Schema: result.Schema, Host: result.Host{OS: "linux", Arch: "amd64",
			ClockSource: &result.ClockSource{Current: "hpet", Available: []string{"hpet", "tsc"}}},
		Warnings: []result.Warning{{Kind: "backwards", Saw: "a clock went backwards", Spoilt: "much", Advice: "wait"}},
		Sections: []result.Section{&compare.Costs{Clocks: []compare.Clock{{
			ID: "CLOCK_MONOTONIC@vdso", Path: "vdso", Kind: "monotonic", Available: true, KernelEntry: result.Always,
			Latency: &compare.Latency{MedianNS: samples[10], MinNS: samples[0], SamplesNS: samples},
		}}}},
	}
	out, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, document.Write(out))
	require.NoError(t, out.Close())
	run := func(arguments string, environment ...string) string {
		command := exec.Command(script, "-qec", timebench+" "+arguments, os.DevNull)
		command.Env = append(os.Environ(), append([]string{"TERM=xterm"}, environment...)...)
		return string(need.Output(t, command))
	}
	require.Contains(t, run("render "+file), "\x1b[33mWarning:\x1b[0m a clock went backwards")
	require.Contains(t, run("doctor --fail-on never "+file), "\x1b[31merror:\x1b[0m reads")
	require.Contains(t, run("diff "+file+" "+file), "\x1b[32mNothing changed in 1 figure.\x1b[0m")
	for _, plain := range []string{"NO_COLOR=1", "TERM=dumb"} {
		require.NotContains(t, run("render "+file, plain), "\x1b", plain)
		require.Contains(t, run("render "+file, plain), "Warning: a clock went backwards")
	}
}
