//go:build linux

// Package wine runs the real timebench.exe under Wine, from the outside. Its tests wait most of their time, so they run
// in parallel. It checks the output, the files, the exit code, and that timebench on Linux can read the documents. The
// script prefix in this folder creates a Wine prefix in which Go programs run; WINEPREFIX is
// its folder.
//
//	go test ./test/wine -run '^$' -bench . -benchtime 9x
//
// compares its results with a C program (testdata/loop.c, built with mingw) under the same
// Wine. It runs the two in turn, nine times for each clock, and prints the medians of both
// and of the ratios of the pairs.
package wine

import (
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/test/measured"
	"github.com/timebench/timebench/test/need"
)

// built makes timebench.exe, and returns it with the program that runs it.
func built(t testing.TB) (wine, exe string) {
	t.Helper()
	need.Minutes(t)
	wine = need.Program(t, "wine")
	prefix := os.Getenv("WINEPREFIX")
	if _, err := os.Stat(filepath.Join(prefix, "drive_c/windows/system32/bcryptprimitives.dll")); prefix == "" ||
		err != nil {
		need.Missing(t, "wine", "WINEPREFIX names no prefix that test/wine/prefix made")
	}
	return wine, need.TimebenchFor(t, "windows", "amd64")
}

// ran is the output and the end of a command.
type ran struct {
	stdout, stderr string
	status         int
}

// ok returns the output and the end of a command that must have succeeded.
func (r ran) ok(t testing.TB) ran {
	t.Helper()
	require.Zero(t, r.status, "%s\n%s", r.stdout, r.stderr)
	return r
}

// run runs a command in a folder, with more in its environment. Its outputs are files: Wine's services and a process
// that the command leaves would keep a pipe open, and the test would wait for them.
func run(t testing.TB, folder string, environment []string, command ...string) ran {
	t.Helper()
	outputs := t.TempDir()
	stdout, err := os.Create(filepath.Join(outputs, "stdout"))
	require.NoError(t, err)
	defer func() { require.NoError(t, stdout.Close()) }()
	stderr, err := os.Create(filepath.Join(outputs, "stderr"))
	require.NoError(t, err)
	defer func() { require.NoError(t, stderr.Close()) }()
	c := exec.Command(command[0], command[1:]...)
	c.Dir, c.Stdout, c.Stderr = folder, stdout, stderr
	c.Env = append(append(os.Environ(), "WINEDEBUG=-all"), environment...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the group has all that the command starts
	require.NoError(t, c.Start())
	late := time.AfterFunc(need.Long, func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	_ = c.Wait() // its exit status is returned
	inTime := late.Stop()
	printed, err := os.ReadFile(stdout.Name())
	require.NoError(t, err)
	complaints, err := os.ReadFile(stderr.Name())
	require.NoError(t, err)
	require.True(t, inTime, "not ended within %s: %s\n%s\n%s", need.Long, command, printed, complaints)
	return ran{string(printed), string(complaints), c.ProcessState.ExitCode()}
}

// onlyWrote is standard error if it has nothing but the files of --out.
const onlyWrote = `(?s)^Wrote [^:]*report\.html\.\r?\n$`

// Linux's timebench reads the document of a report, shows the same table and compares two.
func TestReportIsReadOnLinux(t *testing.T) {
	t.Parallel()
	wine, exe := built(t)
	folder := t.TempDir()
	command := []string{wine, exe, "compare", "--throughput-time", "20ms", "--rounds", "10", "--threads", "1..4", "--out"}
	first := run(t, folder, nil, append(command, "report")...).ok(t)
	require.Regexp(t, onlyWrote, first.stderr, "neither progress nor warnings where no console is")
	run(t, folder, nil, append(command, "again.zip", "--quiet")...).ok(t)

	document, err := sections.Load(filepath.Join(folder, "report"))
	require.NoError(t, err)
	require.Equal(t, "windows", document.Host.OS)
	require.NotNil(t, document.Host.Windows.Wine)
	require.Positive(t, compare.Of(document).FloorNS)
	measured := map[string]bool{}
	for _, c := range compare.Of(document).Clocks {
		measured[c.Path] = measured[c.Path] || c.Available
		if !c.Available {
			require.Contains(t, c.Reason, "this Windows has no ", c.ID)
			continue
		}
		require.Positive(t, c.Latency.MedianNS, c.ID)
		// On a busy machine a figure may be missing; then the conditions say so.
		if len(c.Throughput) != 4 {
			require.NotEmpty(t, document.Conditions.Passes, c.ID)
		}
	}
	require.Equal(t, map[string]bool{"winapi": true, "syscall": true, "memory": true, "cpu": true, "go": true}, measured)
	pictures, err := filepath.Glob(filepath.Join(folder, "report/charts/*.png"))
	require.NoError(t, err)
	require.Len(t, pictures, 3)
	for _, name := range pictures {
		file, err := os.Open(name)
		require.NoError(t, err)
		_, err = png.Decode(file)
		require.NoError(t, err, name)
		require.NoError(t, file.Close())
	}

	native := need.Timebench(t)
	rendered := run(t, folder, nil, native, "render", "report")
	require.Equal(t, first.stdout, rendered.stdout, "one document, one table, byte for byte")
	diff := run(t, folder, nil, native, "diff", "report", "again.zip").ok(t)
	require.Contains(t, diff.stdout, "QueryPerformanceCounter@winapi")
	back := run(t, folder, nil, wine, exe, "diff", "report", "again.zip")
	require.Equal(t, diff.stdout, back.stdout)
}

// Every available clock of Windows holds, the rates are reported, and Linux's timebench shows the same of both.
func TestClocksHold(t *testing.T) {
	t.Parallel()
	wine, exe := built(t)
	native := need.Timebench(t)
	folder := t.TempDir()
	for _, command := range [][]string{{"verify", "--all", "--duration", "3s"}, {"drift", "--duration", "3s", "--load"}} {
		ran := run(t, folder, nil, append(append([]string{wine, exe}, command...), "--out", command[0])...).ok(t)
		require.Regexp(t, onlyWrote, ran.stderr)
		rendered := run(t, folder, nil, native, "render", command[0])
		_, tables, isThere := strings.Cut(ran.stdout, "\n\n") // the facts end
		require.True(t, isThere)
		tables, _, _ = strings.Cut(tables, "\n\n") // the first table's title, and the table
		require.Contains(t, rendered.stdout, tables)
		document, err := sections.Load(filepath.Join(folder, command[0]))
		require.NoError(t, err)
		if v := verify.Of(document); v != nil {
			require.True(t, v.Held())
			for _, c := range v.Clocks {
				require.True(t, c.Reads > 0 || strings.Contains(c.Reason, "this Windows has no "), "%s: %s", c.ID, c.Reason)
			}
			continue
		}
		require.Equal(t, "QueryPerformanceCounter@winapi", drift.Of(document).Reference)
		rates := 0
		for _, c := range drift.Of(document).Clocks {
			if c.Idle != nil {
				rates++
			}
		}
		require.Greater(t, rates, 3)
	}
}

// A Windows without winmm has rows with a reason instead of its clocks.
func TestWithoutWinmm(t *testing.T) {
	t.Parallel()
	wine, exe := built(t)
	without := []string{"WINEDLLOVERRIDES=winmm="}
	list := run(t, "", without, wine, exe, "list").ok(t)
	require.Contains(t, strings.Join(strings.Fields(list.stdout), " "), "no: this Windows has no timeGetTime in winmm.dll")
	compare := run(t, "", without, wine, exe, "compare", "timeGetTime", "GetTickCount64", "--threads", "1",
		"--throughput-time", "5ms", "--rounds", "1").ok(t)
	require.Regexp(t, `timeGetTime@winapi +this Windows has no timeGetTime in winmm\.dll`, compare.stdout)
	raised := run(t, "", without, wine, exe, "compare", "GetTickCount64", "--timer-resolution", "1ms")
	require.Equal(t, 2, raised.status)
	require.Equal(t, "timebench: --timer-resolution 1ms: this Windows has no timeBeginPeriod in winmm.dll\n",
		raised.stderr)
}

// In a console, which script(1) makes for Wine, there are progress and the table.
func TestConsoleShowsProgress(t *testing.T) {
	t.Parallel()
	wine, exe := built(t)
	script := need.Program(t, "script")
	command := wine + " " + exe + " compare time.Now@go --threads 1,2 --throughput-time 1s --rounds 1"
	console := run(t, t.TempDir(), []string{"TERM=xterm"}, script, "-qec", command, "typescript").ok(t)
	require.Contains(t, console.stdout, "Measuring 1 clock with 1 to 2 threads: about ")
	require.Contains(t, console.stdout, "time.Now@go")
}

// byC is the figure of the C program; ok is false for a clock that it cannot read.
func byC(t testing.TB, wine, loop, path, call string) (ns float64, ok bool) {
	t.Helper()
	const unknown = 2 // loop.c does not know the clock
	out := run(t, "", nil, wine, loop, path, call)
	// Once, beside other programs, the status was neither of these.
	for tries := 1; out.status != 0 && out.status != unknown && tries < 3; tries++ {
		t.Logf("loop %s %s: status %d: %s%s", path, call, out.status, out.stdout, out.stderr)
		out = run(t, "", nil, wine, loop, path, call)
	}
	if out.status == unknown {
		return 0, false
	}
	require.Zero(t, out.status, "loop %s %s: %s%s", path, call, out.stdout, out.stderr)
	ns, err := strconv.ParseFloat(strings.TrimSpace(out.stdout), 64)
	require.NoError(t, err)
	return ns, true
}

// byTimebench returns the figure of a clock, and of an empty call.
func byTimebench(t testing.TB, wine, exe, id string) (median, floor float64) {
	t.Helper()
	out := run(t, "", nil, wine, exe, "compare", id, "--threads", "1", "--throughput-time", "1ms", "--rounds", "15",
		"--format", "json").ok(t)
	document := measured.Read(t, []byte(out.stdout))
	return compare.Of(document).Clocks[0].Latency.MedianNS, compare.Of(document).FloorNS
}

// compiled returns the program that mingw makes of a C file of testdata.
func compiled(t testing.TB, name string) string {
	t.Helper()
	cc := need.Program(t, "x86_64-w64-mingw32-gcc")
	program := filepath.Join(t.TempDir(), name+".exe")
	out, err := exec.Command(cc, "-O2", "-Wall", "-Werror", "-o", program,
		filepath.Join("testdata", name+".c")).CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}

// The C program reads the same clocks as timebench: a clock that only one of them
// finds would be a mistake in a name.
func TestCReadsTheSameClocks(t *testing.T) {
	t.Parallel()
	wine, exe := built(t)
	loop := compiled(t, "loop")
	list := run(t, "", nil, wine, exe, "list").ok(t)
	checked := 0
	for _, line := range strings.Split(list.stdout, "\n") {
		call, path, isID := strings.Cut(strings.SplitN(line+" ", " ", 2)[0], "@")
		if !isID || path == "go" || strings.ContainsAny(path, ":,") { // the reasons are below the table
			continue
		}
		_, ok := byC(t, wine, loop, path, call)
		require.Equal(t, strings.HasSuffix(line, "yes"), ok, line)
		checked++
	}
	require.Equal(t, 18, checked)
}

// C also sees that the page's times step; docs/measuring.md has the size of the steps.
func TestCSeesThePageStep(t *testing.T) {
	t.Parallel()
	wine, _ := built(t)
	loop := compiled(t, "loop")
	for _, name := range []string{"SystemTime", "InterruptTime", "TickCount"} {
		step := run(t, "", nil, wine, loop, "step", name).ok(t)
		require.Regexp(t, `^[\d.]+ \([\d.]+ to [\d.]+\), [1-9]\d* steps\r?\n$`, step.stdout)
	}
}

func BenchmarkAgainstC(b *testing.B) {
	wine, exe := built(b)
	loop := compiled(b, "loop")
	list := run(b, "", nil, wine, exe, "list")
	for _, line := range strings.Split(list.stdout, "\n") {
		id := strings.SplitN(line+" ", " ", 2)[0]
		call, path, isID := strings.Cut(id, "@")
		if !isID || path == "go" || !strings.HasSuffix(line, "yes") {
			continue
		}
		b.Run(id, func(b *testing.B) {
			pairs(b, func() (ours, theirs float64) {
				ours, _ = byTimebench(b, wine, exe, id)
				theirs, _ = byC(b, wine, loop, path, call)
				return ours, theirs
			})
		})
	}
	b.Run("floor", func(b *testing.B) {
		pairs(b, func() (ours, theirs float64) {
			_, ours = byTimebench(b, wine, exe, "time.Now@go")
			theirs, _ = byC(b, wine, loop, "empty", "floor")
			return ours, theirs
		})
	})
}

func pairs(b *testing.B, pair func() (ours, theirs float64)) {
	found := measured.Medians{}
	for b.Loop() {
		ours, theirs := pair()
		found.Add("ns-timebench", ours)
		found.Add("ns-C", theirs)
		found.Add("ratio", ours/theirs)
	}
	found.Report(b)
}
