// Package program runs somebody else's program, such as a language runtime: with a deadline, a
// bound on its output and a known environment. When Run returns, neither the program nor a process
// that it started is left, except one that Run cannot attribute to it.
//
// Linux: Run finds the descendants in /proc, also a daemon with a session of its own, unless that
// cleared its environment (tree_linux.go).
// Windows: they are in a job object, which ends them. Other Unix: the program is the leader of a
// process group, which is killed; a descendant that leaves the group survives.
package program

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/timebench/timebench/internal/show/printable"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// Limits are the limits of a program. There is no default: a limit of 0 allows nothing.
type Limits struct {
	Time time.Duration // from the start until the exit of the program itself
	// OutputBytes is the limit of the standard output and that of the standard error.
	OutputBytes int64
	// Together is whether standard error is part of the standard output: some programs print their
	// version there.
	Together bool
}

// Tag is the environment variable that marks the processes of a run, with a random value. It is
// proof that a process belongs to a run.
const Tag = "TIMEBENCH_RUN"

// grace is how long Run waits for what should happen at once: a pipe without a writer reports its end. It is also how long
// Run hunts processes that start others without end, and how long one that it is not permitted to kill has to end itself.
const grace = 5 * time.Second

// dying is how long Run waits for killed processes, which the kernel does not end before they have what they wait for,
// such as a page from a slow disk.
const dying = 30 * time.Second

// one lets one program run at a time. The programs are benchmarks, which would disturb each other,
// and an orphan can only be attributed if it has one possible origin.
var one = make(chan struct{}, 1)

// Run runs the program until it exits, exceeds a limit, or ctx ends. Then it ends the program and
// all its descendants. Run returns the standard output, cut at its limit. The text of the error is
// the reason in one line, without the name of the program: "did not end within 10s", "printed more
// than 1048576 bytes", "exit status 3: a line of standard error", "killed by signal 9", "permission
// denied". If ctx ended, the error is its cause.
//
// Run sets the outputs of cmd and the attributes of its process, and adds Tag to cmd.Env. If cmd.Env is
// nil, Run takes Environment(os.Environ()). A call waits while another one runs.
func Run(ctx context.Context, cmd *exec.Cmd, limits Limits) (stdout []byte, err error) {
	select {
	case one <- struct{}{}:
		defer func() { <-one }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if ctx.Err() != nil { // select picks any case that is ready
		return nil, context.Cause(ctx)
	}
	if cmd.Env == nil {
		cmd.Env, _ = Environment(os.Environ())
	}
	tree, err := newTree(cmd)
	if err != nil {
		return nil, err
	}
	defer tree.close()
	// Pipes of our own, not those of os/exec: its Wait returns when the pipes are closed, and a
	// descendant can hold them open. Here the descendants are ended first.
	output, err := newCapture(limits.OutputBytes)
	if err != nil {
		return nil, err
	}
	defer output.close()
	complaints, err := newCapture(limits.OutputBytes)
	if err != nil {
		return nil, err
	}
	defer complaints.close()
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = output.in, complaints.in, grace
	if limits.Together {
		cmd.Stderr = cmd.Stdout
	}
	err = tree.start()
	output.start()
	complaints.start()
	if err != nil {
		return nil, notStarted(cmd, err)
	}
	debuglog.Printf("program", "%s started as process %d", cmd.Path, cmd.Process.Pid)
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		tree.wait()
	}()
	timer := time.NewTimer(limits.Time)
	defer timer.Stop()
	var reason error
	select {
	case <-exited:
	case <-ctx.Done():
		reason = context.Cause(ctx)
	case <-timer.C:
		reason = fmt.Errorf("did not end within %v", limits.Time)
	case <-output.full:
		reason = printedTooMuch(limits)
	case <-complaints.full:
		reason = printedTooMuch(limits)
	}
	left := tree.end()
	ended := within(dying, exited)
	if ended {
		tree.reap()
	}
	output.end()
	complaints.end()
	text, tooMuch, outErr := output.text()
	errorText, tooManyErrors, errorErr := complaints.text()
	switch {
	case left != nil:
		return text, left
	case !ended:
		return text, errors.New("it cannot be ended")
	case reason != nil:
		return text, reason
	case outErr != nil || errorErr != nil:
		return text, cmp.Or(outErr, errorErr)
	case tooMuch || tooManyErrors:
		return text, printedTooMuch(limits)
	case limits.Together:
		return text, failed(cmd.ProcessState, Complaint(text))
	default:
		// A JVM that cannot start reports this on standard output.
		return text, failed(cmd.ProcessState, cmp.Or(Complaint(errorText), lastLine(text)))
	}
}

// within waits until the channel is closed, and reports whether it was closed in time.
func within(limit time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// notStarted returns why a program did not start, without the path, which the caller knows.
func notStarted(cmd *exec.Cmd, err error) error {
	var lookup *exec.Error
	var path *fs.PathError
	switch {
	case errors.As(err, &lookup):
		err = lookup.Err
	case errors.As(err, &path):
		err = path.Err
	}
	file, statErr := os.Stat(cmd.Path)
	switch {
	case statErr == nil && file.IsDir():
		return errors.New("is a directory")
	case statErr == nil && errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("its interpreter or loader is missing: %w", err)
	}
	return err
}

func failed(state *os.ProcessState, line string) error {
	switch {
	case state == nil:
		return errors.New("its exit status is unknown")
	case state.Success():
		return nil
	}
	how := "exit status " + strconv.Itoa(state.ExitCode())
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		how = fmt.Sprintf("killed by signal %d", int(status.Signal()))
	}
	if line != "" {
		how += ": " + line
	}
	return errors.New(how)
}

func printedTooMuch(limits Limits) error {
	return fmt.Errorf("printed more than %d bytes", limits.OutputBytes)
}

// Complaint returns the line of standard error that most likely has the reason why a program failed:
// the first one that names an error or exception, or the last one; empty if there is none. A runtime
// may print a stack or its version after it. The line is as those of Line.
func Complaint(text []byte) string {
	// Windows PowerShell wraps its message. Below it are lines with a plus.
	if message, _, is := bytes.Cut(text, []byte("+ CategoryInfo ")); is {
		message, _, _ = bytes.Cut(message, []byte("\n+ "))
		return Line(strings.Join(strings.Fields(string(message)), " "))
	}
	for _, line := range lines(text) {
		lower := strings.ToLower(line)
		if strings.Contains(lower, "error") || strings.Contains(lower, "exception") {
			return Line(line)
		}
	}
	return lastLine(text)
}

// lastLine returns the last line with a letter or a digit.
func lastLine(text []byte) string {
	for _, line := range slices.Backward(lines(text)) {
		if line := Line(line); strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return line
		}
	}
	return ""
}

func lines(text []byte) []string {
	return strings.Split(strings.ReplaceAll(string(text), "\r", "\n"), "\n")
}

// Line returns the text as one line without control characters, without spaces around it, and at
// most 200 bytes long. It is for what a foreign program printed, such as its version.
func Line(text string) string {
	const most = 200
	line := strings.TrimSpace(printable.Line(text))
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") // the cut may be inside a character
	}
	return strings.TrimSpace(line)
}
