// Package debuglog writes to standard error what timebench opens, tries and gives up, with the
// reasons, if the environment has TIMEBENCH_DEBUG=1. Maintainers ask for this output when a
// machine behaves strangely. The processes that timebench starts inherit the variable.
//
// A write can block while standard error is not read. So there are no traces in a loop that measures, or between a
// change of the machine and its undoing.
package debuglog

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/timebench/timebench/internal/show/printable"
)

// Variable is the environment variable that turns traces on, with the value 1. Other values are
// reserved.
const Variable = "TIMEBENCH_DEBUG"

const prefix = "timebench: debug: "

var on = os.Getenv(Variable) == "1"

// On reports whether traces are on.
func On() bool { return on }

// Printf writes one line about a subject, such as "vdso", in one write.
func Printf(subject, format string, args ...any) {
	if on {
		write(subject + ": " + fmt.Sprintf(format, args...))
	}
}

// write writes the text as one printable line, because it contains names of files and devices.
func write(text string) {
	_, _ = os.Stderr.WriteString(prefix + strings.TrimSpace(printable.Line(text)) + "\n")
}

// Through returns a writer for the captured standard error of a child process. It writes trace
// lines to the standard error of this process, with the name of the child, and everything else
// to w. If traces are off, it returns w.
func Through(w io.Writer, name string) io.Writer {
	if !on {
		return w
	}
	return &through{rest: w, name: name}
}

type through struct {
	rest    io.Writer
	name    string
	partial []byte // the start of an incomplete line
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
