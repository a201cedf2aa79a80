//go:build unix

package runtimes

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/ptrace"
	"github.com/timebench/timebench/test/need"
)

// shellSlice is the slice that a script reports. The script takes longer to answer, so its stopwatch is possible.
const shellSlice = 10 * time.Microsecond

// shell returns a runtime whose program is a script. version and benchmark are its commands.
func shell(t *testing.T, version, benchmark string) Selected {
	t.Helper()
	need.Processes(t)
	path := filepath.Join(t.TempDir(), "shell")
	text := "#!/bin/sh\nif [ \"$1\" = --version ]; then\n" + version + "\nexit\nfi\n" + benchmark + "\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
	return Selected{Path: path, Runtime: Runtime{
		Name: "shell", Programs: []string{"shell"}, Version: []string{"--version"}, Threads: true,
		Build: func(b build) ([]string, error) { return []string{b.path}, nil },
		Calls: []Call{{"now", wall}, {"new Time", monotonic}, {"absent", cpuTime}},
		Slice: shellSlice,
	}}
}

// hooked is a benchmark with known figures, which first runs the hook at each command; its number of starts is in
// $starts. Every third slice of now takes as long as its CPU allows, and the others have waited for it.
func hooked(t *testing.T, hook string) string {
	t.Helper()
	count := filepath.Join(t.TempDir(), "count")
	return "echo >>" + count + `
starts=$(wc -l <` + count + `)
tab=$(printf '\t') back=1
slices() {
  all= i=0
  while [ $i -lt $3 ]; do all="$all $(($1 * $2 / 10 * (i % 3 > 0 ? $4 : 1)))" i=$((i + 1)); done
  echo $all
}
while IFS=$tab read -r verb name a b c; do
  ` + hook + `
  case $verb:$name in
  *:absent) echo missing not in this version ;;
  run:loop) slices 5 $a $b 1 ;;
  run:call) slices 10 $a $b 1 ;;
  run:now) slices 200 $a $b 2 ;;
  run:*) slices 500 $a $b 1 ;;
  steps:*) [ $b = 0 ] && echo 0 && continue
    case $name:$b in
    now:[123]) echo 1000000000 $a ;;
    now:*) echo $a ;;
    *) echo $((back > 0 ? -2 : 8)) 0; back=0 ;;
    esac ;;
  threads:now) i=0; while [ $i -lt $b ]; do printf '%d ' $((100 + 100 * i)); i=$((i + 1)); done; echo 1000 ;;
  threads:*) i=0; while [ $i -lt $b ]; do printf '10 '; i=$((i + 1)); done; echo 1000 ;;
  *) echo ;;
  esac
done`
}

// honest is a benchmark with known figures.
func honest(t *testing.T) string {
	t.Helper()
	return hooked(t, "")
}

// run measures and fails if that does not end.
func run(t *testing.T, s Settings) *Runtimes {
	t.Helper()
	s.Starts, s.Time, s.CPUs = 3, 3*minSlices*shellSlice, 2
	last, announced := time.Duration(-1), time.Duration(0)
	measured, err := Run(t.Context(), s, func(done, total time.Duration) {
		if last < 0 {
			require.Zero(t, done)
			announced = total
		}
		require.GreaterOrEqual(t, done, last)
		require.LessOrEqual(t, done, total)
		last = done
	})
	require.NoError(t, err)
	if slices.ContainsFunc(measured.Runtimes, func(r MeasuredRuntime) bool { return r.Available }) {
		require.Positive(t, announced, "a user sees progress from the beginning")
	}
	d := &result.Document{Schema: result.Schema}
	d.Put(&measured)
	require.NoError(t, d.Write(io.Discard), "a run leaves a document without impossible values")
	return &measured
}

// measuredOf returns the figures of a script.
func measuredOf(t *testing.T, version, benchmark string, threads ...int) MeasuredRuntime {
	t.Helper()
	return run(t, Settings{Runtimes: []Selected{shell(t, version, benchmark)}, Threads: threads}).Runtimes[0]
}

func TestFiguresAreWhatTheBenchmarkPrints(t *testing.T) {
	r := measuredOf(t, "echo; echo 'Shell 1.2'", honest(t), 1, 3)
	require.True(t, r.Available)
	require.Equal(t, "Shell 1.2", r.Version)
	require.Equal(t, 3, r.Forks)
	require.Equal(t, 0.5, r.LoopNS)
	require.Equal(t, 1.0, r.CallNS)
	require.Len(t, r.Calls, 3)

	now := r.Calls[0]
	require.Equal(t, "now@shell", now.ID)
	require.Equal(t, 20.0, now.Latency.MedianNS)
	require.Equal(t, 20.0, now.Latency.MinNS)
	require.Equal(t, []float64{20, 20, 20}, now.Latency.SamplesNS, "a sample is the lowest level of a start")
	require.Equal(t, []float64{20, 20, 20}, now.Latency.QuietSamplesNS, "a quiet one is its minimum")
	require.Equal(t, 1e9, now.Resolution.TickNS, "watched again, since it did not step at first")
	require.False(t, now.Resolution.FinerThanRead)
	require.Len(t, now.Throughput, 2)
	require.Equal(t, 3, now.Throughput[1].Threads)
	require.True(t, now.Throughput[1].Oversubscribed)
	require.InDelta(t, 600e6, now.Throughput[1].ReadsPerSecond, 1)
	require.InDelta(t, 5.0, now.Throughput[1].NSPerRead, 0.001)
	require.InDelta(t, 1.0/3, now.Throughput[1].Fairness, 0.001)
	require.Len(t, now.Throughput[1].SamplesReadsPerSecond, passes)

	other := r.Calls[1]
	require.Equal(t, 50.0, other.Latency.MedianNS)
	require.True(t, other.Resolution.FinerThanRead)
	require.Zero(t, other.Resolution.TickNS, "a step of a clock that is finer is none")
	require.EqualValues(t, 1, other.Resolution.Backwards)
	require.Equal(t, 2.0, other.Resolution.WorstBackwardsNS)

	require.Equal(t, "not in this version", r.Calls[2].Reason)
	require.Nil(t, r.Calls[2].Latency)
}

// Values that stepped too rarely are watched again.
func TestBackwardStepOfTheFirstWatchIsKept(t *testing.T) {
	r := measuredOf(t, "echo 1", hooked(t, `[ "$verb:$name:$back" = "steps:new Time:1" ] && [ $b != 0 ] && sleep 0.1`))
	require.Greater(t, r.Calls[1].Resolution.Ticks, int64(1))
	require.Greater(t, r.Calls[1].Resolution.WatchedNS, int64(100*time.Millisecond))
	require.EqualValues(t, 1, r.Calls[1].Resolution.Backwards)
	require.Equal(t, 2.0, r.Calls[1].Resolution.WorstBackwardsNS)
}

func TestRuntimesOfOneKindStandSideBySide(t *testing.T) {
	one := shell(t, "echo 1.1", honest(t))
	two := shell(t, "echo 2.2", honest(t))
	measured := run(t, Settings{Runtimes: []Selected{one, two}})
	require.Equal(t, "shell", measured.Runtimes[0].Name)
	require.Equal(t, "shell-2", measured.Runtimes[1].Name)
	require.Equal(t, "now@shell-2", measured.Runtimes[1].Calls[0].ID)
	require.Equal(t, "2.2", measured.Runtimes[1].Version)
}

// Each failing runtime is a row with its reason, and the honest one beside it is measured.
func TestRuntimesThatFail(t *testing.T) {
	failing := map[string]struct{ version, benchmark, want string }{
		"prints rubbish": {"echo 1", "read x; echo rubbish", `answered "rubbish" to the command run`},
		"prints nothing": {"echo 1", "true", "ended before it answered"},
		"takes no time": {
			"echo 1", hooked(t, `[ $verb:$b = run:10 ] && slices 0 $a $b 1 && continue`), "an impossible time",
		},
		"loses a call": {
			"echo 1", hooked(t, `[ $verb:$name:$a = run:loop:2 ] && echo missing lost && continue`),
			"the runtime lacks the call",
		},
		"has no version":           {"echo none", honest(t), "does not print a version"},
		"cannot print its version": {"exit 1", honest(t), "exit status 1"},
		"counts more time than passes": {
			"echo 1", hooked(t, `[ $verb = run ] && slices 10000000000 1 $b 1 && continue`), "its stopwatch counted",
		},
		"answers twice": {"echo 1", hooked(t, `echo rm -rf`), `answered "rm -rf"`},
		"has none of its calls": {
			"echo 1", "while read x; do echo missing no script may call .NET; done", "no script may call .NET",
		},
		"prints without end":           {"echo 1", "exec tr '\\0' 1 </dev/zero", "printed more than"},
		"prints a version without end": {"exec yes 1.2", honest(t), "printed more than"},
	}
	names := slices.Sorted(maps.Keys(failing))
	var selected []Selected
	for _, name := range names {
		selected = append(selected, shell(t, failing[name].version, failing[name].benchmark))
	}
	measured := run(t, Settings{Runtimes: append(selected, shell(t, "echo 1", honest(t)))}).Runtimes
	for i, name := range names {
		require.False(t, measured[i].Available, name)
		require.Contains(t, measured[i].Reason, failing[name].want, name)
		require.NotContains(t, measured[i].Reason, "\n", name)
	}
	require.True(t, measured[len(names)].Available)
	require.Empty(t, measured[len(names)].Reason)
	missing := shell(t, "", "")
	missing.Path = filepath.Join(t.TempDir(), "none")
	require.Contains(t, run(t, Settings{Runtimes: []Selected{missing}}).Runtimes[0].Reason, "no such file")
	missing.Path = t.TempDir()
	require.NotEmpty(t, run(t, Settings{Runtimes: []Selected{missing}}).Runtimes[0].Reason)
}

// The first program that prints its version is measured. The python3.exe that Windows has without
// Python fails, and prints where to get it.
func TestProgramThatOnlySaysWhereToGetTheRuntime(t *testing.T) {
	const advert = "echo 'Python was not found; run without arguments to install from the Microsoft Store.' >&2; exit 49"
	folder := t.TempDir()
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	plant := func(name, version string) Selected {
		of := shell(t, version, honest(t))
		require.NoError(t, os.Rename(of.Path, filepath.Join(folder, name)))
		of.Path, of.Programs = "", []string{"absent-shell", "shell3", "shell"}
		return of
	}
	stub := plant("shell3", advert)
	r := run(t, Settings{Runtimes: []Selected{stub}}).Runtimes[0]
	require.False(t, r.Available)
	require.Equal(t, filepath.Join(folder, "shell3"), r.Path)
	require.Contains(t, r.Reason, "exit status 49: Python was not found")

	r = run(t, Settings{Runtimes: []Selected{plant("shell", "echo Shell 3.2")}}).Runtimes[0]
	require.True(t, r.Available, r.Reason)
	require.Empty(t, r.Reason)
	require.Equal(t, "Shell 3.2", r.Version)
	require.Equal(t, filepath.Join(folder, "shell"), r.Path)

	// A program in a relative folder of PATH is not run.
	t.Chdir(folder)
	t.Setenv("PATH", ".")
	r = run(t, Settings{Runtimes: []Selected{stub}}).Runtimes[0]
	want := "shell is in a relative folder of PATH; use --runtime shell=" + filepath.Join(folder, "shell")
	require.Equal(t, want, r.Reason)
}

// A runtime that fails later keeps the figures of before, with the reason, which has a line of its standard error.
func TestRuntimeThatFailsLater(t *testing.T) {
	r := measuredOf(t, "echo 1", hooked(t, "[ $starts = 3 ] && exit 7"))
	require.True(t, r.Available)
	require.Equal(t, "start 3 of 3: exit status 7", r.Reason)
	require.Len(t, r.Calls[0].Latency.SamplesNS, 2)
	require.Equal(t, 2, r.Forks)
	if err := ptrace.Usable(); err != nil {
		need.Missing(t, "ptrace", err.Error())
	}
	const starts = 7 // three for the costs, and the starts for the steps and under ptrace
	r = measuredOf(t, "echo 1", hooked(t, fmt.Sprintf("[ $starts = %d ] && echo 'no vDSO' >&2 && exit 4", starts)))
	require.Equal(t, "the cost without the vDSO could not be measured: exit status 4: no vDSO", r.Reason)
	r = measuredOf(t, "echo 1", hooked(t, "[ $verb = mark ] && echo 'it makes no marks' >&2 && exit 3"))
	require.True(t, r.Available)
	require.Equal(t, "exit status 3: it makes no marks", r.Calls[0].ReadsBy)
}

// A signal ends a run. A runtime whose figures are complete keeps them, and is not called interrupted.
func TestInterruptedRun(t *testing.T) {
	interrupted := func(last string, when func() bool) []MeasuredRuntime {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if when() {
			cancel()
		}
		go func() {
			for ctx.Err() == nil && !when() {
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
		s := Settings{Starts: 3, Time: 3 * minSlices * shellSlice, CPUs: 2}
		s.Runtimes = []Selected{shell(t, "echo 1", honest(t)), shell(t, "echo 1", last)}
		measured, err := Run(ctx, s, func(time.Duration, time.Duration) {})
		require.NoError(t, err)
		require.Len(t, measured.Runtimes, 2)
		return measured.Runtimes
	}
	for _, r := range interrupted(honest(t), func() bool { return true }) {
		require.Equal(t, "interrupted", r.Reason)
	}
	mark := filepath.Join(t.TempDir(), "mark")
	exists := func() bool {
		_, err := os.Stat(mark)
		return err == nil && os.Remove(mark) == nil
	}
	all := interrupted(hooked(t, "[ $verb = steps ] && echo >"+mark+" && exec sleep 1000"), exists)
	require.Empty(t, all[0].Reason)
	require.Equal(t, "interrupted", all[1].Reason)
	require.True(t, all[1].Available)

	all = interrupted("echo >"+mark+" && exec sleep 1000", exists)
	require.Len(t, all[0].Calls[0].Latency.SamplesNS, 1)
	require.Equal(t, "interrupted", all[0].Reason)
	require.False(t, all[1].Available)
	require.Equal(t, "interrupted", all[1].Reason)
}

func TestNothingIsLeftInTheTemporaryFolder(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	leaves := shell(t, "echo 1", "echo socket >$TMPDIR/socket; exit 1")
	run(t, Settings{Runtimes: []Selected{shell(t, "echo 1", honest(t)), leaves}})
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}

// A compiler that writes no program, or a named pipe, is a reason. So is a program in a temporary folder that is
// mounted noexec.
func TestCompiledProgramThatDoesNotRun(t *testing.T) {
	for commands, want := range map[string]string{
		"true": "no such file or directory", "mkfifo $2": noExec, "echo >$2": noExec,
	} {
		of := shell(t, "echo 1", commands)
		of.Build = compiled("bench.c", "")
		r := run(t, Settings{Runtimes: []Selected{of}}).Runtimes[0]
		require.False(t, r.Available)
		require.Equal(t, want, r.Reason, commands)
	}
}

const noExec = "its benchmark may not be executed: permission denied; " +
	"if the temporary folder is mounted noexec, set TMPDIR to another one"

// A runtime like dotnet: its benchmark prints the version.
func TestBenchmarkPrintsTheVersion(t *testing.T) {
	for commands, want := range map[string]struct{ version, reason string }{
		"echo '.NET 9.8.7'":               {version: ".NET 9.8.7"},
		"echo none":                       {reason: `it does not print a version: "none\n"`},
		"echo no framework >&2; exit 150": {reason: "its version could not be asked for: exit status 150: no framework"},
	} {
		asked := shell(t, "echo 1.1", "if [ \"$1\" = version ]; then\n"+commands+"\nexit\nfi\n"+honest(t))
		asked.Version = nil
		r := run(t, Settings{Runtimes: []Selected{asked}}).Runtimes[0]
		require.Equal(t, want.version, r.Version)
		require.Equal(t, want.reason, r.Reason)
		require.Equal(t, want.reason == "", r.Available)
	}
}

// The variables of the user that change a runtime are not passed on, and are listed.
func TestEnvironmentIsCleared(t *testing.T) {
	t.Setenv("JAVA_TOOL_OPTIONS", "-Xint")
	t.Setenv("SECRET", "x")
	measured := run(t, Settings{Runtimes: []Selected{shell(t, "echo 1 $JAVA_TOOL_OPTIONS $SECRET", honest(t))}})
	require.Equal(t, "1", measured.Runtimes[0].Version)
	require.Contains(t, measured.ClearedEnvironment, "JAVA_TOOL_OPTIONS")
	require.NotContains(t, strings.Join(measured.ClearedEnvironment, " "), "SECRET")
}
