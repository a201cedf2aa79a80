package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/shirou/gopsutil/v4/process"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/sections"
	"github.com/timebench/timebench/internal/thread"
	"github.com/timebench/timebench/test/need"
	"github.com/timebench/timebench/test/schema"
)

// TestMain makes this test program timebench itself where it is called by that name,
// and puts a copy of that name in the path of the scripts. testscript.Main would do
// the same, but for removing its folder under Wine (see need.Folder).
func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); strings.TrimSuffix(name, ".exe") == "timebench" {
		os.Exit(Execute())
	}
	os.Exit(withTimebench(m))
}

func withTimebench(m *testing.M) (status int) {
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
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
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
			"exits": exits, "onelinestderr": oneLineOfStderr, "loads": loads, "interrupted": interrupted, "interruptedtwice": interruptedTwice,
			"planted": planted, "renamed": renamed, "demoted": demoted, "silenced": silenced,
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

// onelinestderr: the last command said one line on standard error, and nothing
// on standard output.
func oneLineOfStderr(ts *testscript.TestScript, _ bool, _ []string) {
	said := ts.ReadFile("stderr")
	if n := len(said); n == 0 || said[n-1] != '\n' {
		ts.Fatalf("standard error is not a line: %q", said)
	}
	for _, c := range said[:len(said)-1] {
		if c == '\n' {
			ts.Fatalf("standard error has several lines: %q", said)
		}
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("standard output is not empty: %q", out)
	}
}

// loads FILE [interrupted]: the file is a whole document that fits the schema, and
// of an interrupted run or not.
func loads(ts *testscript.TestScript, _ bool, args []string) {
	document, err := sections.Load(ts.MkAbs(args[0]))
	ts.Check(err)
	var text bytes.Buffer
	ts.Check(document.Write(&text))
	ts.Check(schema.Validate(text.Bytes()))
	if document.Interrupted != (len(args) > 1) {
		ts.Fatalf("interrupted is %v", document.Interrupted)
	}
}

// interrupted SIGNAL COMMAND...: starts the command, sends the signal after a
// while, and expects the exit status 128 + SIGNAL. Standard output goes into the
// file "stdout.txt".
func interrupted(ts *testscript.TestScript, _ bool, args []string) {
	number, err := strconv.Atoi(args[0])
	ts.Check(err)
	out, err := os.Create(ts.MkAbs("stdout.txt"))
	ts.Check(err)
	defer func() { _ = out.Close() }()
	command := exec.Command(args[1], args[2:]...)
	command.Dir, command.Stdout, command.Stderr = ts.MkAbs("."), out, os.Stderr
	ts.Check(command.Start())
	time.Sleep(1500 * time.Millisecond)
	ts.Check(command.Process.Signal(syscall.Signal(number)))
	err = command.Wait()
	if got := command.ProcessState.ExitCode(); got != 128+number {
		ts.Fatalf("exit status %d (%v), not %d", got, err, 128+number)
	}
}

// interruptedtwice COMMAND...: starts the command, which has worker processes, stops those,
// so that it cannot end as the first SIGINT wants it to, and sends more of them: it ends
// at the next one, with exit status 130 and without a word on standard output.
func interruptedTwice(ts *testscript.TestScript, _ bool, args []string) {
	command := exec.Command(args[0], args[1:]...)
	var out bytes.Buffer
	command.Dir, command.Stdout, command.Stderr = ts.MkAbs("."), &out, os.Stderr
	ts.Check(command.Start())
	time.Sleep(1500 * time.Millisecond)
	running, err := process.NewProcess(int32(command.Process.Pid))
	ts.Check(err)
	workers, err := running.Children()
	ts.Check(err)
	for _, worker := range workers {
		ts.Check(worker.Suspend())
		defer func() { _ = worker.Kill() }()
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for again := time.Tick(100 * time.Millisecond); ; <-again {
		select {
		case err := <-ended:
			if got := command.ProcessState.ExitCode(); got != 130 || out.Len() > 0 {
				ts.Fatalf("exit status %d (%v) and output %q, not 130 and none", got, err, out.String())
			}
			return
		default:
			_ = command.Process.Signal(syscall.SIGINT) // it may have ended just now
		}
	}
}

// planted FILE FACTOR [CLOCK]: writes a document of one clock, time.Now@go, whose
// samples lie close around 20 ns times the factor; or of another clock too.
func planted(ts *testscript.TestScript, _ bool, args []string) {
	factor, err := strconv.ParseFloat(args[1], 64)
	ts.Check(err)
	var samples, perSecond []float64
	for i := range 20 {
		sample := 20 * factor * (1 + float64(i)*1e-4)
		samples, perSecond = append(samples, sample), append(perSecond, 2e9/sample)
	}
	document := &result.Document{
		Schema: result.Schema, GeneratedAt: time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC), Tool: result.Tool{Version: "planted " + args[1]},
		Settings: result.Settings{Threads: []int{2}, Rounds: 20, TimeNS: 1e8, Pin: "none", Workers: "threads"},
		Clocks: []result.Clock{{
			ID: "time.Now@go", Call: "time.Now()", Path: "go", Available: true,
			Latency:    &result.Latency{MedianNS: samples[10], MinNS: samples[0], SamplesNS: samples},
			Throughput: []result.Throughput{{Threads: 2, ReadsPerSecond: perSecond[10], NSPerRead: samples[10], Fairness: 1, SamplesReadsPerSecond: perSecond}},
		}},
	}
	if len(args) > 2 {
		other := document.Clocks[0]
		other.ID = args[2]
		document.Clocks = append(document.Clocks, other)
	}
	save(ts, args[0], document)
}

// renamed IN OUT CLOCK NAME: writes a document in which the clock has another name.
func renamed(ts *testscript.TestScript, _ bool, args []string) {
	document, err := sections.Load(ts.MkAbs(args[0]))
	ts.Check(err)
	for i := range document.Clocks {
		if document.Clocks[i].ID == args[2] {
			document.Clocks[i].ID = args[3]
		}
	}
	save(ts, args[1], document)
}

// demoted IN OUT: writes a document of a run in which every clock became 46 times dearer
// after a third of the rounds.
func demoted(ts *testscript.TestScript, _ bool, args []string) {
	document, err := sections.Load(ts.MkAbs(args[0]))
	ts.Check(err)
	for i := range document.Clocks {
		l := document.Clocks[i].Latency
		for j := len(l.SamplesNS) / 3; j < len(l.SamplesNS); j++ {
			l.SamplesNS[j] *= 46
		}
		l.MedianNS *= 46
	}
	save(ts, args[1], document)
}

// silenced IN OUT: writes a document without any throughput.
func silenced(ts *testscript.TestScript, _ bool, args []string) {
	document, err := sections.Load(ts.MkAbs(args[0]))
	ts.Check(err)
	for i := range document.Clocks {
		document.Clocks[i].Throughput = nil
	}
	save(ts, args[1], document)
}

func save(ts *testscript.TestScript, name string, document *result.Document) {
	var out bytes.Buffer
	ts.Check(document.Write(&out))
	ts.Check(os.WriteFile(ts.MkAbs(name), out.Bytes(), 0o644))
}
