// Package trace reports on standard error what timebench opens, tries and gives up, with
// reasons, where the environment has TIMEBENCH_DEBUG=1: what a maintainer asks for when a
// machine is odd. The processes that timebench starts inherit the variable.
//
// A write may take as long as the reader of standard error likes. So nothing is reported
// from a loop that measures, nor between a change of the machine and its undoing.
package trace

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/timebench/timebench/internal/printable"
)

// Variable is the environment variable that turns reports on. Values other than 1 are
// kept for what may come.
const Variable = "TIMEBENCH_DEBUG"

// prefix begins each line.
const prefix = "timebench: debug: "

var on = os.Getenv(Variable) == "1"

// On reports whether reports are on.
func On() bool { return on }

// Printf reports one line about a subject, such as "vdso", in one write.
func Printf(subject, format string, args ...any) {
	if on {
		write(subject + ": " + fmt.Sprintf(format, args...))
	}
}

// write makes one harmless line of the text: names of files and of devices are in it.
func write(text string) {
	_, _ = os.Stderr.WriteString(prefix + strings.TrimSpace(printable.Line(text)) + "\n")
}

// Through returns a writer for the standard error of a process that timebench starts, where
// that is not its own: lines that are reports go on to this process's standard error,
// under the process's name, and all else to w. Where reports are off it is w.
func Through(w io.Writer, name string) io.Writer {
	if !on {
		return w
	}
	return &through{rest: w, name: name}
}

type through struct {
	rest    io.Writer
	name    string
	partial []byte // of a line whose end has not come
}

func (t *through) Write(text []byte) (int, error) {
	t.partial = append(t.partial, text...)
	for {
		end := bytes.IndexByte(t.partial, '\n') + 1
		if end == 0 {
			return len(text), nil
		}
		line := t.partial[:end]
		t.partial = t.partial[end:]
		if report, ok := strings.CutPrefix(string(line), prefix); ok {
			write(t.name + ": " + report)
		} else if _, err := t.rest.Write(line); err != nil {
			return 0, err
		}
	}
}
