package cmd

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/timebench/timebench/internal/result"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"timebench": func() { os.Exit(Execute()) }})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Condition: func(condition string) (bool, error) {
			if condition != "nohpet" {
				return false, fmt.Errorf("unknown condition %q", condition)
			}
			_, err := os.Stat("/dev/hpet")
			return err != nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "onelinestderr": oneLineOfStderr, "loads": loads, "interrupted": interrupted,
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

// loads FILE [interrupted]: the file is a whole document, and of an interrupted
// run or not.
func loads(ts *testscript.TestScript, _ bool, args []string) {
	document, err := result.Load(ts.MkAbs(args[0]))
	ts.Check(err)
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
