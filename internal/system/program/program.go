// Package program starts the children of timebench: programs of others, and roles of timebench itself.
//
//   - [Run] runs a program with limits of time and output. When it returns, neither the program nor a process that it
//     started is left. [Environment] is a known environment for programs.
//   - [Start] starts a process that ends with timebench, [StartSurvivor] a process that outlives it.
//   - A [Role] is something that another process of timebench does. [Main] has the table.
//
// Linux: the program of Run is below a process of timebench that is a subreaper, which ends all descendants
// (tree_linux.go). Windows: they are in a job object, which ends them. Other Unix: the program is the leader of a
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
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/timebench/timebench/internal/show/printable"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// Limits are the limits of a program. A limit of time or output of 0 allows nothing.
type Limits struct {
	Time time.Duration // from the start until the exit of the program itself
	// OutputBytes is the limit of the standard output, and of the standard error.
	OutputBytes int64
	// Together is whether standard error is part of the standard output: some programs print their version there.
	Together bool
}

// grace is how long Run waits for what should happen at once: a pipe without a writer reports its end. For that time
// Run also hunts processes that start others without end, and waits for processes that it must not kill.
const grace = 5 * time.Second

// dying is how long Run waits for killed processes. A process ends only after it gets what it waits for, such as a page
// from a slow disk.
const dying = 30 * time.Second

// Run runs a program or a [Role] until it exits, exceeds a limit, or ctx ends. Then it ends the program and all its
// descendants. Run returns the standard output, cut at its limit. The text of the error is the reason in one line,
// without the name of the program: "did not end within 10s", "printed more than 1048576 bytes", "exit status 3: a line
// of standard error", "killed by signal 9", "permission denied". If ctx ended, the error is its cause.
//
// Run sets the outputs of the command, the attributes of its process and its ProcessState. A standard output that the
// command has set stays, and is not returned.
func Run(ctx context.Context, command *exec.Cmd, limits Limits) (stdout []byte, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	output, complaints := newOutput(limits.OutputBytes), newOutput(limits.OutputBytes)
	if command.Stdout == nil {
		command.Stdout = output
	}
	// A descriptor of an output may have been passed to a process that is not ended.
	command.Stderr, command.WaitDelay = complaints, grace
	if limits.Together {
		command.Stderr = command.Stdout
	}
	tree, err := startTree(command)
	if err != nil {
		return nil, notStarted(command, err)
	}
	defer tree.close()
	exited, killed, collected := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var held error // valid after collected
	go func() {
		tree.wait()
		close(exited)
		<-killed
		held = tree.collect()
		close(collected)
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
	case <-complaints.full:
	}
	left := tree.end()
	close(killed)
	switch {
	case !within(dying, collected):
		return nil, cmp.Or(left, errors.New("it cannot be ended"))
	case left != nil:
		return output.text, left
	}
	text := output.text
	// A role leaves traces there.
	var complaint bytes.Buffer
	_, _ = debuglog.Through(&complaint, filepath.Base(command.Path)).Write(append(complaints.text, '\n'))
	how, left := tree.outcome(command)
	switch {
	case left != nil:
		return text, left
	case reason != nil:
		return text, reason
	case held != nil:
		return text, held
	case output.exceeded || complaints.exceeded:
		return text, fmt.Errorf("printed more than %d bytes", limits.OutputBytes)
	case how == "":
		return text, nil
	}
	line := complaintIn(complaint.Bytes())
	if limits.Together {
		line = complaintIn(text)
	} else if line == "" {
		line = lastLine(text) // a JVM that cannot start reports this on standard output
	}
	if line != "" {
		how += ": " + line
	}
	return text, errors.New(how)
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

// complaintIn returns the line of standard error that most likely has the reason why a program failed:
// the first line that names an error or exception, or else the last line. A runtime
// may print a stack or its version after it. It is cut as by [Line].
func complaintIn(text []byte) string {
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
		line := Line(line)
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
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
