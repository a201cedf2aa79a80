package cmd

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
	"github.com/timebench/timebench/test/schema"
)

// TestMain runs timebench if this program is called by that name, or by itself, and puts a copy with that name into the
// path of the scripts. testscript.Main does the same, but cannot remove its folder under Wine (see need.Folder).
func TestMain(m *testing.M) {
	program.Main(roles)
	name := filepath.Base(os.Args[0])
	if strings.TrimSuffix(name, ".exe") == "timebench" || os.Args[0] == "/proc/self/exe" {
		os.Exit(Execute())
	}
	os.Exit(withTimebench(m))
}

func withTimebench(m *testing.M) (status int) {
	if signal.Ignored(syscall.SIGHUP) { // under nohup(1): what these tests start handles the signal all the same
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	folder, err := os.MkdirTemp("", "timebench-test-*")
	if err == nil {
		defer func() {
			if err := need.RemoveAll(folder); err != nil {
				fmt.Fprintln(os.Stderr, err)
				status = 1
			}
		}()
		err = copySelf(folder)
	}
	if err == nil {
		err = os.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// Most of these tests wait.
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// copySelf copies this program into the folder as timebench.
func copySelf(folder string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	content, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	name := "timebench"
	if filepath.Ext(self) == ".exe" {
		name += ".exe"
	}
	return os.WriteFile(filepath.Join(folder, name), content, 0o755)
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", os.Getenv("GORACE")) // of the race detector
			for i, cpu := range thread.Usable() {
				env.Setenv(fmt.Sprintf("CPU%d", i), strconv.Itoa(cpu))
			}
			return nil
		},
		Condition: func(condition string) (bool, error) {
			switch condition {
			case "nohpet":
				_, err := os.Stat("/dev/hpet")
				return err != nil, nil
			case "onecpu":
				return len(thread.Usable()) == 1, nil
			}
			return false, fmt.Errorf("unknown condition %q", condition)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "refuses": refuses, "loads": loads, "verifies": verifies, "interrupted": interrupted,
			"planted": writePlanted, "slow": writeSlow, "renamed": changed(renamed), "demoted": changed(demoted),
			"withoutthroughput": changed(func(c *compare.Clock, _ []string) { c.Throughput = nil }),
			"unmeasured":        changed(func(c *compare.Clock, _ []string) { c.Latency, c.Throughput = nil, nil }),
		},
	})
}

// exits STATUS COMMAND...: the command ends with that exit status.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, not %d", got, want)
	}
}

// outOfTime is the error of verify on a machine that is too busy to read every clock.
var outOfTime = regexp.MustCompile(
	`(?m)^timebench: [0-9]+ of [0-9]+ clocks could not be verified; ` +
		`\S+: (the time limit ended the run before it was read|only [0-9,]+ reads? in|[0-9]+ of [0-9]+ comparisons)`)

// verifies ARGUMENTS...: timebench verify finds no fault. On a busy machine it may have no time for a clock.
func verifies(ts *testscript.TestScript, _ bool, args []string) {
	if err := ts.Exec("timebench", append([]string{"verify"}, args...)...); err != nil && !outOfTime.MatchString(
		ts.ReadFile("stderr")) {
		ts.Fatalf("%v", err)
	}
}

// refuses STATUS COMMAND...: the command ends with that exit status, one line on standard error, and no output.
func refuses(ts *testscript.TestScript, _ bool, args []string) {
	exits(ts, false, args)
	if stderr := ts.ReadFile("stderr"); strings.Index(stderr, "\n") != len(stderr)-1 || stderr == "" {
		ts.Fatalf("standard error is not one line: %q", stderr)
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("standard output is not empty: %q", out)
	}
}

// loads FILE [interrupted]: the file is a whole document, valid by the schema, and marked as interrupted or not.
func loads(ts *testscript.TestScript, _ bool, args []string) {
	document, err := sections.Load(ts.MkAbs(args[0]))
	ts.Check(err)
	if document.Interrupted != (len(args) > 1) {
		ts.Fatalf("interrupted is %v", document.Interrupted)
	}
	var text bytes.Buffer
	ts.Check(document.Write(&text))
	ts.Check(schema.Validate(text.Bytes()))
}

// interrupted SIGNAL [leaves=FILE] COMMAND...: starts the command, sends the signal when it measures, and expects the
// exit status 128 + SIGNAL. Standard output goes into the file "stdout.txt". With leaves=, the command is repeated
// with a later signal each time, until it leaves that file.
func interrupted(ts *testscript.TestScript, _ bool, args []string) {
	number, err := strconv.Atoi(args[0])
	ts.Check(err)
	command := args[1:]
	leaves, given := strings.CutPrefix(command[0], "leaves=")
	if given {
		command = command[1:]
	}
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		interruptedAfter(ts, pause, syscall.Signal(number), command)
		if !given {
			return
		}
		if _, err := os.Stat(ts.MkAbs(leaves)); err == nil {
			return
		}
		if pause > timeout {
			ts.Fatalf("interrupted %s after it began, it left no %s", pause, leaves)
		}
	}
}

// A started is a program that runs. Its standard error is complete when it has ended.
type started struct {
	*exec.Cmd
	stderr bytes.Buffer
	ended  chan struct{}
}

// timeout is how long a test waits for something that takes seconds on an idle machine.
const timeout = need.Long

// start starts a program. It is killed after twice the timeout, so that a program that hangs fails the test.
func start(command *exec.Cmd) (*started, error) {
	s := &started{Cmd: command, ended: make(chan struct{})}
	if command.Stderr == nil {
		command.Stderr = &s.stderr
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	timer := time.AfterFunc(2*timeout, func() { _ = command.Process.Kill() })
	go func() {
		defer close(s.ended)
		_ = command.Wait() // the tests look at its exit status
		timer.Stop()
	}()
	return s, nil
}

// status waits until the program has ended, and returns its exit status; -1 if a signal ended it.
func (s *started) status() int {
	<-s.ended
	return s.ProcessState.ExitCode()
}

func (s *started) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// until waits until a condition holds. The error says that the program ended before, or that it took too long; then
// the program is killed.
func (s *started) until(what string, holds func() bool) error {
	for end := time.Now().Add(timeout); ; time.Sleep(10 * time.Millisecond) {
		ended := s.hasEnded()
		if holds() {
			return nil
		}
		if ended {
			return fmt.Errorf("%s: %q ended before, with %v: %s", what, s.Args, s.ProcessState, &s.stderr)
		}
		if time.Now().After(end) {
			_ = s.Process.Kill()
			return fmt.Errorf("%s: not %s after the start of %q", what, timeout, s.Args)
		}
	}
}

// interruptedAfter runs a command and interrupts it when its debug output says that it measures and the pause is over.
func interruptedAfter(ts *testscript.TestScript, pause time.Duration, signal syscall.Signal, args []string) {
	out, err := os.Create(ts.MkAbs("stdout.txt"))
	ts.Check(err)
	defer func() { _ = out.Close() }()
	debug, err := os.Create(ts.MkAbs("stderr.txt"))
	ts.Check(err)
	defer func() { _ = debug.Close() }()
	command := exec.Command(args[0], args[1:]...)
	command.Dir, command.Stdout, command.Stderr = ts.MkAbs("."), out, debug
	command.Env = append(os.Environ(), debuglog.Variable+"=1")
	running, err := start(command)
	ts.Check(err)
	ts.Check(running.until("the measurement", func() bool {
		return strings.Contains(ts.ReadFile("stderr.txt"), "the measurement begins")
	}))
	time.Sleep(pause)
	_ = running.Process.Signal(signal) // it may have ended
	if got, want := running.status(), 128+int(signal); got != want {
		ts.Fatalf("exit status %d, not %d: %s", got, want, ts.ReadFile("stderr.txt"))
	}
}

// planted FILE FACTOR [CLOCK]: writes a document of time.Now@go and of a second clock.
func writePlanted(ts *testscript.TestScript, _ bool, args []string) {
	factor, err := strconv.ParseFloat(args[1], 64)
	ts.Check(err)
	d := plantedDocument("planted "+args[1], factor, append([]string{"time.Now@go"}, args[2:]...)...)
	d.Labels = []string{"planted=" + args[0]}
	save(ts, args[0], d)
}

// slow FILE: writes a document of a machine whose vDSO enters the kernel, because the clock source is hpet.
func writeSlow(ts *testscript.TestScript, _ bool, args []string) {
	d := plantedDocument("planted", 32.17, "CLOCK_MONOTONIC@vdso")
	c := &compare.Into(d).Clocks[0]
	c.Path, c.KernelEntry, c.KernelEntryBy = "vdso", result.Always, "seccomp"
	d.Host = result.Host{OS: "linux", CPU: result.CPU{Logical: 2, Usable: 1}, BootParameters: []string{"clocksource=hpet"},
		ClockSource: &result.ClockSource{Current: "hpet", Available: []string{"tsc", "hpet"}}}
	d.Warnings = []result.Warning{{Kind: "backwards", Saw: "a clock went backwards", Spoilt: "much", Advice: "wait"}}
	save(ts, args[0], d)
}

// plantedDocument returns a document of clocks, each with samples close to 20 ns times the factor.
func plantedDocument(version string, factor float64, ids ...string) *result.Document {
	var samples, perSecond []float64
	for i := range 20 {
		sample := 20 * factor * (1 + float64(i)*1e-4)
		samples, perSecond = append(samples, sample), append(perSecond, 2e9/sample)
	}
	d := &result.Document{
		Schema: result.Schema, GeneratedAt: time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC),
		Tool:     result.Tool{Version: version},
		Settings: result.Settings{Threads: []int{2}, Rounds: 20, TimeNS: 1e8, Pin: "none", Workers: "threads"},
	}
	for _, id := range ids {
		compare.Into(d).Clocks = append(compare.Into(d).Clocks, compare.Clock{
			ID: id, Call: "time.Now()", Path: "go", Available: true,
			Latency: &compare.Latency{MedianNS: samples[10], MinNS: samples[0], SamplesNS: samples},
			Throughput: []compare.Throughput{{Threads: 2, ReadsPerSecond: perSecond[10], NSPerRead: samples[10], Fairness: 1,
				SamplesReadsPerSecond: perSecond}},
		})
	}
	return d
}

// changed returns a command IN OUT [ARGUMENT...] that writes a document whose clocks are changed.
func changed(change func(c *compare.Clock, args []string)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		document, err := sections.Load(ts.MkAbs(args[0]))
		ts.Check(err)
		for i := range compare.Into(document).Clocks {
			change(&compare.Into(document).Clocks[i], args[2:])
		}
		save(ts, args[1], document)
	}
}

// renamed IN OUT CLOCK NAME: the clock has another name.
func renamed(c *compare.Clock, args []string) {
	if c.ID == args[0] {
		c.ID = args[1]
	}
}

// demoted IN OUT: every clock is 46 times slower after a third of the rounds.
func demoted(c *compare.Clock, _ []string) {
	l := c.Latency
	for j := len(l.SamplesNS) / 3; j < len(l.SamplesNS); j++ {
		l.SamplesNS[j] *= 46
	}
	l.MedianNS *= 46
}

func save(ts *testscript.TestScript, name string, document *result.Document) {
	var out bytes.Buffer
	ts.Check(document.Write(&out))
	ts.Check(os.WriteFile(ts.MkAbs(name), out.Bytes(), 0o644))
}
