package runtimes

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/runtimes/programs"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
)

// TestPrograms tests each mode in each language that is installed.
func TestPrograms(t *testing.T) {
	need.Processes(t)
	for _, r := range All {
		t.Run(r.Name, func(t *testing.T) {
			paths, err := r.find("")
			chosen := &subject{Runtime: r}
			if err == nil { // the powershell of Wine prints nothing
				err = (&runner{ctx: t.Context(), environment: os.Environ()}).choose(chosen, paths)
			}
			if err != nil {
				need.Missing(t, r.Name, err.Error())
			}
			for i, path := range paths {
				if i > 0 && r.Name == lua.Name { // whose versions differ
					t.Run(filepath.Base(path), func(t *testing.T) { testModes(t, r, path) })
				}
			}
			testModes(t, r, chosen.entry.Path)
		})
	}
}

// testModes tests each mode of the program of a runtime.
func testModes(t *testing.T, r Runtime, path string) {
	command, err := r.Build(build{path, need.Folder(t), func(command ...string) error {
		return exec.Command(command[0], command[1:]...).Run()
	}})
	require.NoError(t, err)
	for name, test := range map[string]func(t *testing.T, r Runtime, command []string){
		"cost": testCost, "steps": testSteps, "steps are nanoseconds": testStepsAreNanoseconds,
		"threads": testThreads, "mark": testMark, "wrong arguments": testWrongArguments,
	} {
		t.Run(name, func(t *testing.T) { test(t, r, command) })
	}
}

// printed runs a program and returns its lines as fields.
func printed(t *testing.T, command []string, args ...string) ([][]string, error) {
	t.Helper()
	args = append(slices.Clone(command[1:]), args...)
	cmd := exec.Command(command[0], args...)
	cmd.Env, _ = program.Environment(os.Environ())
	cmd.Env = append(cmd.Env, "GOCOVERDIR="+need.Folder(t)) // with -cover this test binary complains without it
	out, err := program.Run(t.Context(), cmd, program.Limits{Time: 2 * time.Minute, OutputBytes: 1e6})
	var lines [][]string
	for line := range strings.Lines(string(bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n")))) {
		require.True(t, strings.HasSuffix(line, "\n"), "%q is cut", line)
		lines = append(lines, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return lines, err
}

// fine runs a program that must succeed and checks the form of each line.
func fine(t *testing.T, command []string, args ...string) [][]string {
	t.Helper()
	lines, err := printed(t, command, args...)
	require.NoError(t, err)
	for _, line := range lines {
		form, ok := forms[line[0]]
		require.True(t, ok, "%q", line)
		require.Len(t, line, len(form)+1, "%q", line)
		for i, pattern := range form {
			assert.Regexp(t, pattern, line[i+1], "%q", line)
		}
	}
	require.NotEmpty(t, lines)
	require.Equal(t, []string{"done"}, lines[len(lines)-1])
	return lines[:len(lines)-1]
}

// forms are the patterns of the fields of each line.
var forms = func() map[string][]*regexp.Regexp {
	text, whole := regexp.MustCompile(`^.+$`), regexp.MustCompile(`^[0-9]+$`)
	positive, decimal := regexp.MustCompile(`^[1-9][0-9]*$`), regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	return map[string][]*regexp.Regexp{
		"missing": {text, text}, "warm": {text, decimal}, "cost": {text, positive, positive},
		"sink": {decimal}, "step": {text, decimal}, "seen": {text, positive, whole}, "thread": {text, whole, whole}, "passed": {text, positive}, "done": {},
	}
}()

// fields returns the field i of all lines of a kind; of one name, unless it is empty.
func fields(lines [][]string, kind, name string, i int) (found []string) {
	for _, line := range lines {
		if line[0] == kind && (name == "" || line[1] == name) {
			found = append(found, line[i])
		}
	}
	return found
}

// callsOf returns the calls of a runtime. Those of notATime have values that are none.
func callsOf(r Runtime, without ...string) []string {
	return slices.DeleteFunc((&subject{Runtime: r}).callNames(), func(name string) bool { return slices.Contains(without, name) })
}

var notATime = []string{"toISOString", "localtime"}

// namesFor returns the names for which a program prints figures, and one that no program knows.
func namesFor(r Runtime) []string {
	return append([]string{"loop", "call", "no such/name"}, callsOf(r)...)
}

func testCost(t *testing.T, r Runtime, command []string) {
	const rounds = 3
	lines := fine(t, command, append([]string{"cost", strconv.Itoa(rounds), "100000"}, namesFor(r)...)...)
	assert.Equal(t, []string{"no such/name"}, fields(lines, "missing", "", 1))
	known := append([]string{"loop", "call"}, callsOf(r)...)
	require.Equal(t, known, fields(lines, "warm", "", 1), "the program must print one line `warm` for each name, in this order")
	for _, ns := range fields(lines, "warm", "", 2) {
		value, err := strconv.ParseFloat(ns, 64)
		require.NoError(t, err)
		assert.Positive(t, value, "%s: calls take time", ns)
	}
	var order []string
	for r := range rounds { // each round starts with another name
		order = append(append(order, known[r%len(known):]...), known[:r%len(known)]...)
	}
	assert.Equal(t, order, fields(lines, "cost", "", 1))
	for _, name := range known {
		assert.Len(t, slices.Compact(fields(lines, "cost", name, 2)), 1, "%s: all rounds make the same number of calls", name)
	}
	assert.Len(t, fields(lines, "sink", "", 1), 1)
}

func testSteps(t *testing.T, r Runtime, command []string) {
	const most = 5
	times := callsOf(r, notATime...)
	const span = "40000000" // in ns; Go's clock on Windows steps by up to 15.6 ms
	lines := fine(t, command, append([]string{"steps", strconv.Itoa(most), span}, namesFor(r)...)...)
	assert.Equal(t, []string{"no such/name"}, fields(lines, "missing", "", 1))
	require.Equal(t, times, fields(lines, "seen", "", 1), "the program must print one line `seen` for each call, in this order")
	for _, name := range times {
		steps := fields(lines, "step", name, 2)
		assert.LessOrEqual(t, len(steps), most, name)
		for _, step := range steps {
			value, err := strconv.ParseFloat(step, 64)
			require.NoError(t, err)
			assert.NotZero(t, value, name)
		}
		reads, err := strconv.Atoi(fields(lines, "seen", name, 2)[0])
		require.NoError(t, err)
		repeats, err := strconv.Atoi(fields(lines, "seen", name, 3)[0])
		require.NoError(t, err)
		assert.GreaterOrEqual(t, reads-repeats, len(steps), name)
		assert.Zero(t, reads%999, "%s: %d reads are not whole blocks without their first reads", name, reads)
		if units[name] == 0 && !strings.Contains(name, "COARSE") {
			assert.NotEmpty(t, steps, "%s: no step in %s ns: if its tick is longer, add it to `units`", name, span)
		}
	}
	assert.Subset(t, times, fields(lines, "step", "", 1))
}

// units are the ticks in nanoseconds of the calls that are not finer than one read.
var units = map[string]float64{
	"System.currentTimeMillis": 1e6, "Date.now": 1e6, "new Date": 1e6, "datetime.now": 1e3, "new DateTimeImmutable": 1e3,
	"gettimeofday": 1e3, "clock": 1e3, "time": 1e9, "os.time": 1e9, "os.clock": 1e3,
	"DateTime.UtcNow": 100, "DateTime.Now": 100, "DateTimeOffset.UtcNow": 100, "Environment.TickCount64": 1e6,
	"Get-Date": 100, "[DateTime]::UtcNow": 100, "[DateTime]::Now": 100, "[DateTimeOffset]::UtcNow": 100, "[Environment]::TickCount": 1e6,
}

// testStepsAreNanoseconds waits for a tick of calls whose unit is known.
func testStepsAreNanoseconds(t *testing.T, r Runtime, command []string) {
	names := slices.DeleteFunc(callsOf(r), func(name string) bool { return units[name] == 0 })
	if len(names) == 0 {
		t.Skip("its calls have no known tick")
	}
	lines := fine(t, command, append([]string{"steps", "1", "3000000000"}, names...)...)
	for _, name := range names {
		steps := fields(lines, "step", name, 2)
		require.Len(t, steps, 1, name)
		value, err := strconv.ParseFloat(steps[0], 64)
		require.NoError(t, err)
		ticks := value / units[name]
		assert.InDelta(t, float64(int64(ticks+0.5)), ticks, 0.001, "%s: %s ns are not whole ticks", name, steps[0])
		assert.Greater(t, ticks, 0.5, name)
	}
}

// testThreads has a deadline at which all threads have called, and one that has passed before any thread looks at the
// stopwatch. More attempts are for threads that had no CPU before the deadline, and for a stopwatch that ticks
// slowly.
func testThreads(t *testing.T, r Runtime, command []string) {
	if !r.Threads {
		lines, err := printed(t, command, "threads", "2", "1000", "loop")
		require.ErrorContains(t, err, "exit status 2")
		assert.Empty(t, lines)
		return
	}
	for span, call := range map[int]bool{5_000_000: true, 1: false} {
		names := append([]string{"loop", "call"}, callsOf(r)...)
		for attempt := 0; attempt < 20 && len(names) > 0; attempt++ {
			lines := fine(t, command, append([]string{"threads", "3", strconv.Itoa(span), "no such/name"}, names...)...)
			assert.Equal(t, []string{"no such/name"}, fields(lines, "missing", "", 1))
			require.Equal(t, names, fields(lines, "passed", "", 1), "the program must print one line `passed` for each name, in this order")
			var still []string
			for _, name := range names {
				assert.Equal(t, []string{"0", "1", "2"}, fields(lines, "thread", name, 2), name)
				passed, err := strconv.Atoi(fields(lines, "passed", name, 2)[0])
				require.NoError(t, err)
				assert.GreaterOrEqual(t, passed, span, name)
				if called := !slices.Equal([]string{"0", "0", "0"}, fields(lines, "thread", name, 3)); called != call {
					still = append(still, name)
				}
			}
			names = still
		}
		assert.Empty(t, names, "whose threads never called, or called after the deadline of %d ns", span)
	}
}

func testWrongArguments(t *testing.T, _ Runtime, command []string) {
	for _, args := range [][]string{
		{}, {"nonsense"}, {"names"}, {"names", "loop"}, {"cost"}, {"cost", "3"}, {"cost", "3", "1000"}, {"cost", "x", "1000", "loop"}, {"cost", "3", "0", "loop"},
		{"cost", "3", "-1", "loop"}, {"cost", "3", "1000x", "loop"}, {"steps", "5", "loop"}, {"mark", "loop"}, {"mark", "0", "loop"},
	} {
		lines, err := printed(t, command, args...)
		if assert.Error(t, err, "%q", args) {
			assert.Regexp(t, "^exit status 2: usage: ", err.Error(), "%q", args)
		}
		assert.Empty(t, lines, "%q", args)
	}
}

// testMark compares the system calls that strace sees with the protocol.
func testMark(t *testing.T, r Runtime, command []string) {
	const times = 5
	strace := need.Program(t, "strace")
	unsafe := regexp.MustCompile(`[^A-Za-z0-9._-]`)
	seen := regexp.MustCompile(`^([0-9]+) .*"/timebench-mark/([^"]*)"`)
	log := filepath.Join(need.Folder(t), "log")
	traced := append([]string{strace, "-f", "-e", "trace=file", "-o", log}, command...)
	args := append([]string{"mark", strconv.Itoa(times)}, namesFor(r)...)
	lines, err := printed(t, traced, args...)
	text, _ := os.ReadFile(log)
	if err != nil && len(lines) == 0 && len(text) == 0 {
		need.Missing(t, "strace", "it may not trace here: "+err.Error())
	}
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"missing", "no such/name"}, {"done"}}, [][]string{lines[0][:2], lines[1]})
	want := []string{"start"}
	for _, name := range append([]string{"loop", "call"}, callsOf(r)...) {
		want = append(want, slices.Repeat([]string{unsafe.ReplaceAllString(name, "_")}, times)...)
	}
	want = append(want, "end")
	var got, threads []string
	for line := range strings.Lines(string(text)) {
		if found := seen.FindStringSubmatch(line); found != nil {
			threads, got = append(threads, found[1]), append(got, found[2])
		}
	}
	assert.Equal(t, want, got)
	assert.Len(t, slices.Compact(threads), 1, "all marks are of one thread")
}

// What is compiled is of its source. Other compilers make other bytes; with -deterministic, mcs writes no time and no
// random id.
func TestCompiledProgramsAreOfTheirSources(t *testing.T) {
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
				need.Missing(t, map[string]string{"javac": "javac 17", "mcs": "mcs 6.8"}[compiler], "this is "+strings.TrimSpace(string(version)))
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

func TestSourcesHaveNoWarnings(t *testing.T) {
	need.Processes(t)
	for compiler, c := range map[string]struct{ file, source, flags string }{
		"cc":       {"bench.c", programs.C, "-std=c11 -O2 -Wall -Wextra -Werror -pthread"},
		"musl-gcc": {"bench.c", programs.C, "-std=c11 -O2 -Wall -Wextra -Werror -pthread"},
		"c++":      {"bench.cpp", programs.CPlusPlus, "-std=c++11 -O2 -Wall -Wextra -Werror -pthread"},
		"rustc":    {"bench.rs", programs.Rust, "-O -D warnings"},
	} {
		t.Run(compiler, func(t *testing.T) {
			source := filepath.Join(need.Folder(t), c.file)
			require.NoError(t, os.WriteFile(source, []byte(c.source), 0o600))
			out, err := exec.Command(need.Program(t, compiler), append(strings.Fields(c.flags), "-o", source+".exe", source)...).CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
}
