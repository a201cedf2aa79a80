package watch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/exposition"
	"github.com/timebench/timebench/internal/show/printable"
	"github.com/timebench/timebench/internal/show/words"
	"github.com/timebench/timebench/internal/system/folder"
)

// TextLine writes an event as one line.
func TextLine(w io.Writer, e Event) error {
	_, err := fmt.Fprintf(w, "%s %s: %s\n", e.Time.Format(time.RFC3339), e.Kind, printable.OneLine(e.Message))
	return err
}

// JSONLine writes an event as one line of JSON.
func JSONLine(w io.Writer, e Event) error { return json.NewEncoder(w).Encode(e) }

// An Agent prints what a watch reports, and serves and writes what it publishes.
type Agent struct {
	// Format writes an event as one line.
	Format func(io.Writer, Event) error
	// Every is the time between two turns.
	Every time.Duration
	// Metrics returns the metrics of a document.
	Metrics func(*result.Document) []exposition.Family
	// Server serves the metrics; nil without --listen.
	Server *Server
	// Textfile is the file of the metrics; "" without one.
	Textfile string
	// unwritten is why the last textfile could not be written; "" if it was.
	unwritten          string
	events, complaints *Lines
}

// Print makes the agent print events to standard output and complaints to standard error. It waits for neither.
func (a *Agent) Print(stdout, stderr io.Writer) {
	a.complaints = PrintLines(stderr, func(error) {})
	a.events = PrintLines(stdout, func(err error) {
		a.Complain("standard output cannot be written: " + folder.SystemError(err).Error())
	})
}

// Close prints the last lines, if standard output and standard error take them.
func (a *Agent) Close() {
	a.events.Close()
	a.complaints.Close()
}

// Complain queues a line for standard error.
func (a *Agent) Complain(text string) {
	a.complaints.Print([]byte("timebench: " + printable.OneLine(text) + "\n"))
}

// Serve serves the metrics until the server is closed.
func (a *Agent) Serve() {
	if err := a.Server.Serve(); err != nil {
		a.Complain("metrics are no longer served: " + err.Error())
	}
}

// Announce prints how many clocks are watched, and where the metrics are.
func (a *Agent) Announce(clocks int) {
	text := fmt.Sprintf("watching %s every %s; Ctrl-C stops", words.Plural(clocks, "clock"), a.Every)
	if a.Server != nil {
		text += "; metrics on http://" + a.Server.Address() + "/metrics"
		if host, _, err := net.SplitHostPort(a.Server.Address()); err == nil && !net.ParseIP(host).IsLoopback() {
			text += ", for other machines too"
		}
	}
	if a.Textfile != "" {
		text += "; metrics in " + a.Textfile
	}
	a.Complain(text)
}

// Report queues an event for standard output.
func (a *Agent) Report(e Event) {
	var line bytes.Buffer
	if err := a.Format(&line, e); err != nil {
		a.Complain(err.Error())
		return
	}
	a.events.Print(line.Bytes())
}

// overdue is how many turns late a turn may be before the watch is not healthy, and graceOfTurn how long a turn may
// take on a slow machine.
const (
	overdue     = 3
	graceOfTurn = 30 * time.Second
)

// Publish serves and writes the metrics, and returns an event if they can no longer be written, or can be again.
func (a *Agent) Publish(s *State) *Event {
	var text bytes.Buffer
	families := a.Metrics(s.Document)
	if !s.Examined {
		families = slices.DeleteFunc(families,
			func(f exposition.Family) bool { return strings.HasPrefix(f.Name, "timebench_finding") })
	}
	if err := exposition.Write(&text, append(families, s.Metrics()...)); err != nil {
		a.Complain("metrics cannot be written: " + err.Error())
		return nil
	}
	if a.Server != nil {
		a.Server.Put(text.Bytes(), overdue*a.Every+graceOfTurn)
	}
	if a.Textfile == "" {
		return nil
	}
	return a.write(text.Bytes())
}

// write writes the textfile, and returns an event if that fails for another reason than before, or succeeds
// again.
func (a *Agent) write(metrics []byte) *Event {
	before := a.unwritten
	a.unwritten = ""
	message := "metrics are written into " + a.Textfile + " again"
	if err := WriteTextfile(a.Textfile, metrics); err != nil {
		a.unwritten = err.Error()
		message = "metrics are not written: " + a.unwritten
	}
	if a.unwritten == before {
		return nil
	}
	return &Event{Time: time.Now(), Kind: Textfile, Message: message}
}
