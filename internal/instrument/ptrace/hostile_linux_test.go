package ptrace

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// firstLine returns an output for a program, and a channel that is closed after its first line.
func firstLine(t *testing.T) (*os.File, <-chan struct{}) {
	t.Helper()
	out, in, err := os.Pipe()
	require.NoError(t, err)
	first := make(chan struct{})
	go func() {
		text := bufio.NewReader(out)
		_, _ = text.ReadString('\n')
		close(first)
		_, _ = io.Copy(io.Discard, text)
		_ = out.Close()
	}()
	t.Cleanup(func() { _ = in.Close() })
	return in, first
}

// Programs that would never end are killed with all their processes when the context ends.
func TestNothingIsLeftAfterTheContext(t *testing.T) {
	usableOrSkip(t)
	hostile := compiled(t, "hostile", "-static")
	for _, what := range []string{"daemon", "threads", "sibling"} {
		t.Run(what, func(t *testing.T) {
			program := exec.Command(hostile, what, "wait")
			nothingIsLeft := secretive(t, program)
			output, first := firstLine(t)
			program.Stdout = output
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			go func() {
				<-first // the program is what it wants to be
				cancel()
			}()
			need.Ends(t, "the trace", func() {
				_, err := Trace(ctx, Hidden, program, ample)
				require.ErrorIs(t, err, context.Canceled)
			})
			nothingIsLeft()
		})
	}
}

// Programs that end are followed to their end, and processes that they leave behind are killed.
func TestNothingIsLeftAfterTheProgram(t *testing.T) {
	usableOrSkip(t)
	hostile := compiled(t, "hostile", "-static")
	for _, p := range []struct{ what, output, err string }{
		{"daemon", "ready\n", ""},
		{"runs", "", ""},
		{"threads", "ready\n", ""},
		{"execthread", "echo\n", ""},
		{"mainends", "echo\n", ""},
		{"stop", "continued\n", ""},
		{"trap", "", ""},
		{"parent", "", ""},
		{"nested", "", ""},
		{"noexec", "continued\n", ""},
		{"untraced", "", ""}, // by CLONE_UNTRACED
		{"signal", "", "killed by signal 9 (SIGKILL)"},
		{"crash", "", "killed by signal 11 (SIGSEGV)"},
		{"status", "", "exit status 3"},
	} {
		for _, task := range []Task{Hidden, Fast} {
			t.Run(p.what+"/"+string(task), func(t *testing.T) {
				program := exec.Command(hostile, p.what)
				nothingIsLeft := secretive(t, program)
				var output bytes.Buffer
				program.Stdout = &output
				need.Ends(t, "the trace", func() {
					_, err := Trace(t.Context(), task, program, ample)
					if p.err == "" {
						require.NoError(t, err)
					} else {
						require.EqualError(t, err, p.err)
					}
				})
				nothingIsLeft()
				require.Equal(t, p.output, output.String())
			})
		}
	}
}

// A context may end at any moment of a trace.
func TestContextEndsAtAnyMoment(t *testing.T) {
	usableOrSkip(t)
	hostile := compiled(t, "hostile", "-static")
	for i := range 16 {
		program := exec.Command(hostile, []string{"runs", "execthread"}[i%2])
		nothingIsLeft := secretive(t, program)
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*time.Millisecond)
		need.Ends(t, "the trace", func() { _, _ = Trace(ctx, Hidden, program, ample) })
		cancel()
		nothingIsLeft()
	}
}

// If timebench is killed, the kernel kills its tracees.
func TestKilledTimebench(t *testing.T) {
	usableOrSkip(t)
	self, err := os.Executable()
	require.NoError(t, err)
	timebench := exec.Command(self, compiled(t, "hostile", "-static"), "daemon", "wait")
	mark := rand.Text()
	timebench.Env = append(os.Environ(), role+"=trace", "MARK="+mark)
	output, first := firstLine(t)
	timebench.Stderr = output // of the program too
	require.NoError(t, timebench.Start())
	need.Ends(t, "the program", func() { <-first })
	require.NoError(t, timebench.Process.Kill())
	_ = timebench.Wait()
	// The kernel kills the tracees before the end of timebench is reported, but they end later.
	need.Until(t, "the end of all processes", func() bool { return len(need.Marked(t, mark)) == 0 })
}

// A program that makes marks or reads clocks for ever is killed.
func TestTooMuch(t *testing.T) {
	need.Minutes(t)
	usableOrSkip(t)
	command := exec.Command(compiled(t, "hostile", "-static"), "marks")
	nothingIsLeft := secretive(t, command)
	spans, err := Trace(t.Context(), Hidden, command, ample)
	require.EqualError(t, err, fmt.Sprintf("the program made more than %d marks or %d clock reads", maxSpans, maxReads))
	require.LessOrEqual(t, len(spans), maxSpans+1)
	nothingIsLeft()
}
