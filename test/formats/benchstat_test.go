// Package formats exchanges files with other programs: it opens the pages of timebench in a real browser, passes its
// benchmark text to the real benchstat, and lets doctor read what sos makes.
package formats

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// stat runs benchstat, which go.mod names as a tool.
func stat(t *testing.T, args ...string) string {
	t.Helper()
	return string(need.Output(t, exec.Command("go", append([]string{"tool", "benchstat"}, args...)...)))
}

func TestBenchstatReadsWhatTimebenchWrites(t *testing.T) {
	need.Minutes(t) // it compiles benchstat
	timebench, folder := need.Timebench(t), t.TempDir()
	run := func(name string, args ...string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, need.Output(t, exec.Command(timebench, args...)), 0o644))
		return path
	}
	compare := []string{"compare", "time.Now@go", "--threads", "1,2", "--throughput-time", "20ms", "--rounds", "10",
		"--out"}
	old := run("old.txt", append(compare, filepath.Join(folder, "old"), "--format", "bench")...)
	new := run("new.txt", append(compare, filepath.Join(folder, "new"), "--format", "bench")...)

	table := stat(t, old, new)
	require.Regexp(t, `(?m)^goos: \w+$`, table)
	require.Regexp(t, `(?m)^Latency/clock=time\.Now@go +\d+\.\d+n ±`, table)
	require.Regexp(t, `(?m)^Throughput/clock=time\.Now@go/threads=2 .*[nµm] ±`, table)
	require.Regexp(t, `reads/s +│`, table)
	require.Regexp(t, `(?m)^Latency/.*p=\d\.\d+ n=10`, table)
	// A busy machine spoils samples of the throughput, which are then left out.
	require.Regexp(t, `(?m)^Throughput/.*threads=2 .*p=\d\.\d+ n=\d+`, table)

	// benchstat puts results of another machine, which it cannot compare, into separate tables, unless it has to make a
	// single table.
	document, err := os.ReadFile(filepath.Join(folder, "new", "results.json"))
	require.NoError(t, err)
	other := filepath.Join(folder, "other.json")
	require.NoError(t,
		os.WriteFile(other, regexp.MustCompile(`"kernel": "[^"]*"`).ReplaceAll(document, []byte(`"kernel": "0.1"`)), 0o644))
	elsewhere := run("elsewhere.txt", "render", other, "--format", "bench")
	require.NotContains(t, stat(t, old, elsewhere), "vs base")
	require.Regexp(t, `(?m)^Latency/clock=time\.Now@go .*p=`, stat(t, "-table", "", old, elsewhere))
	elsewhere = run("both-elsewhere.txt", "diff", filepath.Join(folder, "old"), other, "--format", "bench")
	require.Regexp(t, `(?m)^Latency/clock=time\.Now@go .*p=`, stat(t, "-col", "run", elsewhere))

	// Both documents of a diff are in one file, distinguished by the key "run".
	both := run("both.txt", "diff", filepath.Join(folder, "old"), filepath.Join(folder, "new"), "--format", "bench")
	table = stat(t, "-col", "run", both)
	require.Regexp(t, `│ +old +│ +new +│`, table)
	require.Regexp(t, `(?m)^Latency/clock=time\.Now@go .* n=10`, table)
}
