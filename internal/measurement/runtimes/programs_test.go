package runtimes

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/runtimes/programs"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
)

// TestLanguages tests, in each language that is installed, each command of the program, and which clocks its calls
// read.
func TestLanguages(t *testing.T) {
	need.Processes(t)
	for _, r := range All {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			if !slices.Contains([]string{"go", "python3", "c"}, r.Name) {
				need.Minutes(t)
			}
			paths, err := r.find("")
			if err != nil {
				need.Missing(t, r.Name, err.Error())
			}
			of := prepared(t, r, "")
			if of.subjects[0].command == nil { // the powershell of Wine prints nothing
				need.Missing(t, r.Name, of.subjects[0].entry.Reason)
			}
			testCommands(t, of)
			testAttribution(t, of)
			testWaits(t, of)
			for i, path := range paths {
				if i > 0 && r.Name == lua.Name { // whose versions differ
					t.Run(filepath.Base(path), func(t *testing.T) { testCommands(t, prepared(t, r, path)) })
				}
			}
		})
	}
}

// prepared returns a runner whose only subject is a runtime without a warm-up.
func prepared(t *testing.T, r Runtime, path string) *runner {
	t.Helper()
	r.WarmUp = 0
	settings := Settings{Runtimes: []Selected{{Runtime: r, Path: path}}, Starts: 1, Time: minSlices * usualSlice}
	one, err := newRunner(t.Context(), settings, func(time.Duration, time.Duration) {})
	require.NoError(t, err)
	t.Cleanup(one.close)
	one.environment = append(one.environment, "GOCOVERDIR="+one.folder) // with -cover this test binary needs it
	one.prepare()
	return one
}

// testCommands sends each command to the program of a runtime.
func testCommands(t *testing.T, r *runner) {
	s := r.subjects[0]
	require.Empty(t, s.entry.Reason)
	limits := program.Limits{Time: need.Long, OutputBytes: 1e6}
	require.NoError(t, r.converse(s, limits, func(d *dialogue) error {
		for _, name := range s.callNames(emptyLoop, emptyCall) {
			if err := errors.Join(testRun(t, d, name), testSteps(t, d, name), d.mark(name, 2, 1)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if s.Threads {
				if err := testThreads(t, d, name); err != nil {
					return fmt.Errorf("threads of %s: %w", name, err)
				}
			}
		}
		for _, name := range s.Sleeps {
			if err := testSleep(t, d, name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if _, err := d.run("no such/name", 1, 1); !errors.Is(err, errMissing) {
			return fmt.Errorf("a name that no program knows: %w", err)
		}
		_, err := d.run(emptyLoop, 1, 1) // it still answers
		return err
	}))
}

// testSleep checks that the command sets the number of sleeps and their span. Timers of JavaScript and Windows may end
// a tick early.
func testSleep(t *testing.T, d *dialogue, name string) error {
	const times, span, tick = 3, 40 * time.Millisecond, 16 * time.Millisecond
	began := time.Now()
	lateNS, err := d.sleep(way{name, span}, times)
	assert.GreaterOrEqual(t, time.Since(began), times*(span-tick), name)
	for _, ns := range lateNS {
		assert.Greater(t, ns, -float64(tick), name)
	}
	return err
}

// testRun checks that the command sets the number of calls: a slice of some length can be reached.
func testRun(t *testing.T, d *dialogue, name string) error {
	if _, err := d.run(name, 1, 1); err != nil {
		return err
	}
	n, err := d.calibrated(name, 100*time.Microsecond)
	assert.Less(t, n, maxCalls, name)
	return err
}

// testSteps checks that each value is a step or repeats the value before it, and that steps are whole ticks, in
// nanoseconds.
func testSteps(t *testing.T, d *dialogue, name string) error {
	const blocks, block = 3, 1000
	stepsNS, repeats, err := d.steps(name, blocks, blocks*block)
	notATime := slices.Contains([]string{emptyLoop, emptyCall, "toISOString", "localtime"}, name)
	if notATime && errors.Is(err, errMissing) {
		return nil
	}
	assert.InDelta(t, blocks*(block-1), float64(len(stepsNS))+repeats, 0, name)
	for n := blocks; err == nil && len(stepsNS) == 0; n = min(2*n, maxBlocks) { // until it ticks
		stepsNS, _, err = d.steps(name, n, 1)
	}
	if err != nil {
		return err
	}
	if units[name] > 0 {
		ticks := math.Abs(stepsNS[0]) / units[name]
		assert.InDelta(t, math.Round(ticks), ticks, 0.001, "%s: %g ns are not whole ticks", name, stepsNS[0])
		assert.Greater(t, ticks, 0.5, name)
	}
	_, _, err = d.steps(name, blocks, 0) // an answer with a step would be an error
	return err
}

// units are the ticks in nanoseconds of the calls that are not finer than one read.
var units = map[string]float64{
	"System.currentTimeMillis": 1e6, "Date.now": 1e6, "new Date": 1e6, "datetime.now": 1e3,
	"new DateTimeImmutable": 1e3,
	"gettimeofday":          1e3, "clock": 1e3, "time": 1e9, "os.time": 1e9, "os.clock": 1e3,
	"DateTime.UtcNow": 100, "DateTime.Now": 100, "DateTimeOffset.UtcNow": 100, "Environment.TickCount64": 1e6,
	"Get-Date": 100, "[DateTime]::UtcNow": 100, "[DateTime]::Now": 100, "[DateTimeOffset]::UtcNow": 100,
	"[Environment]::TickCount": 1e6,
}

// testThreads has a deadline at which all threads have called, and a deadline that has passed before any thread reads
// the stopwatch. It tries again if threads had no CPU before the deadline, or if the stopwatch ticks slowly.
func testThreads(t *testing.T, d *dialogue, name string) error {
	const n, count = 7, 3
	for span, calls := range map[time.Duration]bool{5 * time.Millisecond: true, 1: false} {
		called := !calls
		for attempt := 0; attempt < 20 && called != calls; attempt++ {
			p, err := d.threads(name, n, count, span)
			if err != nil {
				return err
			}
			assert.GreaterOrEqual(t, p.passedNS, float64(span), name)
			called = slices.Max(p.calls) > 0
			for _, made := range p.calls {
				assert.Zero(t, made%n, name)
			}
		}
		assert.Equal(t, calls, called, "%s: threads must call until the deadline of %v, and not after it", name, span)
	}
	return nil
}

// The compiled programs come from their sources. Other compilers make other bytes; with -deterministic, mcs writes no
// time and no random id.
func TestCompiledProgramsAreOfTheirSources(t *testing.T) {
	need.Minutes(t) // it takes as much CPU time as the languages
	need.Processes(t)
	for compiler, c := range map[string]struct {
		version, prints string
		sources         []string
		commands        []string
		made            string
		want            []byte
	}{
		"javac": {"-version", "javac 17.", []string{"Bench.java"}, []string{
			"--release 8 -g:none -encoding UTF-8 -Xlint:all,-options -Werror Bench.java",
		}, "Bench.class", programs.JavaClass},
		"mcs": {"--version", "compiler version 6.8.", []string{"System.Runtime.Extensions.cs", "Bench.cs"}, []string{
			mcsFlags + "-target:library -out:System.Runtime.Extensions.dll System.Runtime.Extensions.cs",
			mcsFlags + "-r:System.dll -r:Extensions=System.Runtime.Extensions.dll -out:Bench.exe Bench.cs",
		}, "Bench.exe", programs.DotnetAssembly},
	} {
		t.Run(compiler, func(t *testing.T) {
			path, folder := need.Program(t, compiler), need.Folder(t)
			version, err := exec.Command(path, c.version).CombinedOutput() // Java 8 prints it to standard error
			require.NoError(t, err)
			if !strings.Contains(string(version), c.prints) {
				wanted := map[string]string{"javac": "javac 17", "mcs": "mcs 6.8"}[compiler]
				need.Missing(t, wanted, "this is "+strings.TrimSpace(string(version)))
			}
			for _, name := range c.sources {
				source, err := os.ReadFile(filepath.Join("programs/source", name))
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(folder, name), source, 0o600))
			}
			for _, arguments := range c.commands {
				compile := exec.Command(path, strings.Fields(arguments)...)
				compile.Dir = folder
				out, err := compile.CombinedOutput()
				require.NoError(t, err, "%s", out)
			}
			made, err := os.ReadFile(filepath.Join(folder, c.made))
			require.NoError(t, err)
			require.True(t, bytes.Equal(made, c.want), "compile the program again, with %s: %q", compiler, c.commands)
			classes, err := filepath.Glob(filepath.Join(folder, "*.class"))
			require.NoError(t, err)
			require.LessOrEqual(t, len(classes), 1)
		})
	}
}

const mcsFlags = "-deterministic -optimize+ -debug- -noconfig -warn:4 -warnaserror "
