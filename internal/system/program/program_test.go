package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/test/need"
)

// playRole is the variable that makes the binary of this test one of the programs below.
const playRole = "TIMEBENCH_TEST_ROLE"

// ample is a time limit that no test reaches unless it waits for that.
const ample = need.Long

var usual = Limits{Time: ample, OutputBytes: 1e6}

func TestMain(m *testing.M) {
	Main(testRoles)
	if name := os.Getenv(playRole); name != "" {
		os.Exit(play(name))
	}
	os.Exit(m.Run())
}

// testRoles are the roles of the tests.
var testRoles = Roles{
	"trace": func([]string) error {
		debuglog.Printf("role", "a trace")
		return errors.New("failed")
	},
}

// play is the program of a role, and returns its exit status.
func play(name string) int {
	switch name {
	case "greet":
		fmt.Println("hello")
		fmt.Fprintln(os.Stderr, "a warning")
	case "fail":
		fmt.Println("partial")
		fmt.Fprint(os.Stderr, "first\n\x1b[31mlast\tline\x1b[0m\r\n\n")
		return 3
	case "run trace":
		_, err := Run(context.Background(), Role("trace"), usual)
		fmt.Print(err)
	case "fail silently":
		fmt.Println("Error occurred during initialization of VM\nCould not reserve enough space")
		return 1
	case "print":
		for line := []byte(strings.Repeat("x", 4095) + "\n"); ; {
			if _, err := os.Stdout.Write(line); err != nil {
				return 0
			}
		}
	case "complain":
		for line := []byte(strings.Repeat("x", 4095) + "\n"); ; {
			if _, err := os.Stderr.Write(line); err != nil {
				return 0
			}
		}
	case "sleep":
		fmt.Println("asleep")
		time.Sleep(time.Hour)
	case "leave", "escape": // a child that holds the outputs, in this process group or in its own
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), playRole+"=sleep")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if name == "escape" {
			ownSession(child)
		}
		if err := child.Start(); err != nil {
			return 9
		}
		fmt.Println("left", child.Process.Pid)
	case "daemon": // a program that leaves a daemon, and the reason of Run
		_, err := Run(context.Background(),
			exec.Command("/bin/sh", "-c", "(setsid sleep 1000 >/dev/null 2>&1 &); sleep 0.3"), usual)
		fmt.Println(err)
	case "child", "survivor": // has one
		start := func(command *exec.Cmd) (*Child, error) { return Start(context.Background(), command) }
		if name == "survivor" {
			start = StartSurvivor
		}
		child, err := start(exec.Command("sleep", "1000"))
		if err != nil {
			return 9
		}
		<-child.Ended()
	case "run": // a program with a daemon that both sleep
		child := exec.Command("/bin/sh", "-c", "(setsid sleep 1000 &); sleep 1000")
		child.Env = os.Environ()
		if _, err := Run(context.Background(), child, usual); err != nil {
			return 9
		}
	}
	return 0
}

// playing returns the command of a role. An emulator of another system cannot start this binary.
func playing(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	need.Processes(t)
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), playRole+"="+name)
	return cmd
}

// A new case is a role of play and a row.
func TestRun(t *testing.T) {
	for _, test := range []struct {
		role     string
		bytes    int64
		out, err string
	}{
		{"greet", 1e6, "hello\n", ""},
		{"greet", 2, "he", "printed more than 2 bytes"}, // the output of a program that exits can exceed the limit too
		{"print", 1e6, strings.Repeat(strings.Repeat("x", 4095)+"\n", 245)[:1e6], "printed more than 1000000 bytes"},
		{"complain", 3e3, "", "printed more than 3000 bytes"},
		{"fail", 1e6, "partial\n", "exit status 3: [31mlast line [0m"},
		// Without standard error, as of a JVM that cannot start.
		{"fail silently", 1e6, "Error occurred during initialization of VM\nCould not reserve enough space\n",
			"exit status 1: Could not reserve enough space"},
	} {
		out, err := Run(t.Context(), playing(t, test.role), Limits{Time: ample, OutputBytes: test.bytes})
		if test.err == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, test.err)
		}
		assert.Equal(t, test.out, string(out), test.role)
	}
	out, err := Run(t.Context(), playing(t, "fail"), Limits{Time: ample, OutputBytes: 1e6, Together: true})
	require.EqualError(t, err, "exit status 3: [31mlast line [0m")
	assert.Regexp(t, "(?s)partial\n.*first\n|first\n.*partial\n", string(out))
}

func TestProgramsEndWithTheContext(t *testing.T) {
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	child, err := Start(ctx, playing(t, "sleep"))
	require.NoError(t, err)
	time.AfterFunc(200*time.Millisecond, func() { cancel(reason) })
	_, err = Run(ctx, playing(t, "sleep"), usual)
	require.ErrorIs(t, err, reason)
	<-child.Ended()
	require.False(t, child.Close().Success())
	_, err = Run(ctx, playing(t, "greet"), usual)
	require.ErrorIs(t, err, reason)
	_, err = Start(ctx, playing(t, "sleep"))
	require.ErrorIs(t, err, reason)
}

// TestRunDoesNotWaitForAChild has a child that holds the outputs for an hour.
func TestRunDoesNotWaitForAChild(t *testing.T) {
	out, err := Run(t.Context(), playing(t, "leave"), usual)
	require.NoError(t, err)
	var pid int
	for line := range strings.Lines(string(out)) { // the child may print first
		_, _ = fmt.Sscanf(line, "left %d", &pid)
	}
	require.NotZero(t, pid, "%q", out)
	assert.True(t, gone(t, pid))
}

func TestComplaint(t *testing.T) {
	for text, want := range map[string]string{
		"":              "",
		"first\nlast\n": "last",
		// Without an error, the last line with a letter or a digit.
		"\n \n":                        "",
		"one":                          "one",
		"one\ntwo\n\n":                 "two",
		"10 %\r20 %\r":                 "20 %",
		"a\x1b[2Jb\x00\u202e":          "a [2Jb �",
		"\xff\xfe":                     "",
		"# A fatal error\n#\n# \n":     "# A fatal error",
		strings.Repeat("é", 101):       strings.Repeat("é", 100),
		strings.Repeat("x", 199) + "é": strings.Repeat("x", 199),
		"through a mirror\nx\n":        "x",
		"x.js:1\n(\n^\n\nSyntaxError: Unexpected end of input\n    at f (x.js:1)\n\nNode.js v20.20.2\n":                                                      "SyntaxError: Unexpected end of input",
		"Exception in thread \"main\" java.lang.Error\n\tat Bench.main(Bench.java)\n":                                                                        "Exception in thread \"main\" java.lang.Error",
		"File C:\\x.ps1 cannot be loaded because running scripts is \r\ndisabled on this system.\r\n    + CategoryInfo          : SecurityError: (:) []\r\n": "File C:\\x.ps1 cannot be loaded because running scripts is disabled on this system.",
		"no such type\r\nAt C:\\x.ps1:3 char:1\r\n+ [X]::Y()\r\n    + CategoryInfo          : InvalidOperation":                                              "no such type At C:\\x.ps1:3 char:1",
		"a warning\n\x1b[31mx.c:1: error: no \r\nerror: 2\n" + strings.Repeat("gcc\n",
			3): "[31mx.c:1: error: no",
	} {
		assert.Equal(t, want, complaintIn([]byte(text)), "%q", text)
	}
}

func TestEnvironment(t *testing.T) {
	keep, cleared := Environment([]string{
		"PATH=/bin", "Path=C:\\", "HOME=/root", "TZ=UTC", "LANG=de_DE.UTF-8", "LC_ALL=fr_FR", "JAVA_HOME=/opt/jdk",
		"DOTNET_ROOT_X64=/opt/net",
		"JAVA_TOOL_OPTIONS=-Xint", "PYTHONSTARTUP=x", "PYTHONPATH=y", "NODE_OPTIONS=-r z", "LD_PRELOAD=libfaketime.so",
		"LD_LIBRARY_PATH=/opt/lib",
		"http_proxy=http://user:secret@proxy", "LUA_INIT_5_4=@x", "LD_PRELOAD=twice", "DOTNET_TieredPGO=0", "=C:=C:\\",
		"broken", "XPYTHON=1",
		"DOTNET_ROOT=/opt/dotnet", "DOTNET_ROLL_FORWARD=Disable", "COMPlus_TieredCompilation=0",
		"CORECLR_ENABLE_PROFILING=1",
	})
	assert.Equal(t, []string{"PATH=/bin", "Path=C:\\", "HOME=/root", "TZ=UTC", "JAVA_HOME=/opt/jdk",
		"DOTNET_ROOT_X64=/opt/net",
		"LD_LIBRARY_PATH=/opt/lib", "DOTNET_ROOT=/opt/dotnet", "LC_ALL=C"}, keep)
	assert.Equal(t, []string{"COMPlus_TieredCompilation", "CORECLR_ENABLE_PROFILING", "DOTNET_ROLL_FORWARD",
		"DOTNET_TieredPGO", "JAVA_TOOL_OPTIONS", "LD_PRELOAD", "LUA_INIT_5_4", "NODE_OPTIONS", "PYTHONPATH", "PYTHONSTARTUP"}, cleared)
}

// The traces of a role are traces of this process, and not part of why the role failed.
func TestRolesThatFail(t *testing.T) {
	need.Processes(t)
	command := exec.Command(os.Args[0])
	var stderr strings.Builder
	command.Env = append(os.Environ(), playRole+"=run trace", debuglog.Variable+"=1")
	command.Stderr = &stderr
	out, err := command.Output()
	require.NoError(t, err)
	require.Regexp(t, `^exit status \d+: failed$`, string(out))
	require.Regexp(t, `(?m)^timebench: debug: .*role: a trace$`, stderr.String())
	child, err := Start(t.Context(), Role("none"))
	require.NoError(t, err)
	require.Equal(t, `exit status 2: unknown role "none"; roles are for timebench itself`, child.Fate())
}
