package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/diagnose/examine"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/report/render"
	"github.com/timebench/timebench/internal/show/exposition"
	"github.com/timebench/timebench/internal/show/printable"
	"github.com/timebench/timebench/internal/system/folder"
	"github.com/timebench/timebench/internal/system/signals"
	"github.com/timebench/timebench/internal/watch"
)

// watchFlags are the flags of watch as they were typed.
type watchFlags struct {
	every    time.Duration
	listen   string
	textfile string
	format   string
	quiet    bool
}

// A lineFormat writes an event as one line.
type lineFormat struct {
	name  string
	write func(watch.Event) ([]byte, error)
}

// lineFormats are the values of --format of watch.
var lineFormats = []lineFormat{
	{"text", func(e watch.Event) ([]byte, error) {
		return []byte(e.Time.Format(time.RFC3339) + " " + e.Kind + ": " + printable.OneLine(e.Message) + "\n"), nil
	}},
	{"json", func(e watch.Event) ([]byte, error) {
		line, err := json.Marshal(e)
		return append(line, '\n'), err
	}},
}

func lineFormatNames() []string {
	var names []string
	for _, f := range lineFormats {
		names = append(names, f.name)
	}
	return names
}

func watchCommand() *cobra.Command {
	var flags watchFlags
	command := &cobra.Command{
		Use:   "watch",
		Short: "Watch the clocks, print changes, and serve metrics",
		Long: `Watch looks at the clocks of this machine again and again, until a signal ends it. It prints
a line when something changes, and none otherwise: the clock source of the kernel, what a
read of the everyday clocks costs, whether it enters the kernel, whether the wall clock is
synchronised, steps of the wall clock, and moments in which the machine was suspended or
paused. After a change it diagnoses the machine as doctor --fast does.

Watch needs no root. It serves its figures as metrics of Prometheus by HTTP (--listen:
a page, /metrics and /healthz), and as a file for the textfile collector of node_exporter.

Exit status: 0 if a signal ended it, 1 if it could not begin, 2 if the command line is
wrong.`,
		Example: `  timebench watch
  timebench watch --listen 127.0.0.1:9109 --format json
  timebench watch --textfile /var/lib/prometheus/node-exporter/timebench.prom`,
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			format, err := flags.check(command)
			if err != nil {
				return err
			}
			return flags.run(direct(command.OutOrStdout()), command.ErrOrStderr(), format)
		},
	}
	f := command.Flags()
	f.DurationVar(&flags.every, "every", 30*time.Second, "time between two measurements")
	f.StringVar(&flags.listen, "listen", "", "serve metrics on this `address`, such as 127.0.0.1:9109; without a host, on the loopback")
	f.StringVar(&flags.textfile, "textfile", "", "write metrics into this `file`, whose name ends in .prom")
	f.StringVarP(&flags.format, "format", "f", lineFormats[0].name, "format of the lines: "+strings.Join(lineFormatNames(), ", "))
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "do not say on standard error what is watched")
	complete(command, "format", lineFormatNames()...)
	return command
}

// check returns which flag is wrong, or the format.
func (flags watchFlags) check(command *cobra.Command) (format lineFormat, err error) {
	if err := notEmpty(command, "listen", "textfile"); err != nil {
		return format, err
	}
	if flags.listen != "" {
		_, port, err := net.SplitHostPort(flags.listen)
		if _, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil {
			return format, fmt.Errorf("--listen %q: write HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:9109", flags.listen)
		}
	}
	if flags.every < watch.MinEvery || flags.every > watch.MaxEvery {
		return format, fmt.Errorf("--every %s: write a duration from %s to %s", flags.every, watch.MinEvery, watch.MaxEvery)
	}
	i := slices.IndexFunc(lineFormats, func(f lineFormat) bool { return f.name == flags.format })
	if i < 0 {
		return format, fmt.Errorf("--format %q: write %s", flags.format, strings.Join(lineFormatNames(), " or "))
	}
	if flags.textfile == "" {
		return lineFormats[i], nil
	}
	if err := watch.CheckTextfile(flags.textfile); err != nil {
		return format, refused(fmt.Errorf("--textfile: %w", err))
	}
	return lineFormats[i], nil
}

// direct returns a writer whose errors are those of one write, because a log on a full disk may have space later.
func direct(w io.Writer) io.Writer {
	if o, ok := w.(*output); ok {
		return o.to
	}
	return w
}

// run watches until a signal comes.
func (flags watchFlags) run(stdout, stderr io.Writer, format lineFormat) error {
	ctx, _ := signals.Until()
	signals.IgnoreClosedPipe()
	a := newAgent(stdout, stderr, format, flags)
	defer a.close()
	if flags.listen != "" {
		server, err := watch.Listen(flags.listen)
		if err != nil {
			return couldNot(fmt.Errorf("--listen %w", err))
		}
		defer server.Close()
		a.server = server
		go func() {
			if err := server.Serve(); err != nil {
				a.complain("metrics are no longer served: " + err.Error())
			}
		}()
	}
	clocks := watchedClocks(clock.Catalog())
	if !flags.quiet {
		a.complain(flags.announcement(a.server, len(clocks)))
	}
	watch.Run(ctx, watch.Settings{
		Every: flags.every, Clocks: clocks, Report: a.report, Publish: a.publish,
		Examine: func(ctx context.Context) (*result.Document, error) {
			document, err := examine.Run(ctx, tool(), true)
			if err == nil {
				document.Findings = diagnose.Findings(document)
			}
			return document, err
		},
	})
	return nil
}

// announcement returns what is watched, and where the metrics are.
func (flags watchFlags) announcement(server *watch.Server, clocks int) string {
	text := fmt.Sprintf("watching %d clocks every %s, until a signal", clocks, flags.every)
	if server != nil {
		text += "; metrics on http://" + server.Address() + "/metrics"
		if host, _, err := net.SplitHostPort(server.Address()); err == nil && !net.ParseIP(host).IsLoopback() {
			text += ", for other machines too"
		}
	}
	if flags.textfile != "" {
		text += "; metrics in " + flags.textfile
	}
	return text
}

// watchedClocks returns the clocks that programs read most, and the system call for comparison.
func watchedClocks(all []clock.Clock) []clock.Clock {
	return slices.DeleteFunc(all, func(c clock.Clock) bool {
		return !diagnose.Everyday(c.ID) && c.ID != "CLOCK_MONOTONIC@syscall" && c.ID != "time.Now@go"
	})
}

// An agent writes what a watch reports and publishes.
type agent struct {
	format lineFormat
	flags  watchFlags
	server *watch.Server // nil without --listen
	// unwritten is why the last textfile could not be written; "" if it was.
	unwritten string
	// events are printed to standard output, and complaints to standard error.
	events, complaints *watch.Lines
}

func newAgent(stdout, stderr io.Writer, format lineFormat, flags watchFlags) *agent {
	a := &agent{format: format, flags: flags, complaints: watch.PrintLines(stderr, func(error) {})}
	a.events = watch.PrintLines(stdout, func(err error) {
		a.complain("standard output cannot be written: " + folder.SystemError(err).Error())
	})
	return a
}

// close prints the last lines, if standard output and standard error take them.
func (a *agent) close() {
	a.events.Close()
	a.complaints.Close()
}

// complain has a line printed to standard error.
func (a *agent) complain(text string) {
	a.complaints.Print([]byte("timebench: " + printable.OneLine(text) + "\n"))
}

// report has an event printed.
func (a *agent) report(e watch.Event) {
	line, err := a.format.write(e)
	if err != nil {
		a.complain(err.Error())
		return
	}
	a.events.Print(line)
}

// overdue is how many turns late a turn may be before the watch is not healthy, and graceOfTurn what a turn
// may take on a slow machine.
const (
	overdue     = 3
	graceOfTurn = 30 * time.Second
)

// publish serves and writes the metrics, and returns an event if they can no longer be written, or can be again.
func (a *agent) publish(s *watch.State) *watch.Event {
	s.Document.Tool = tool()
	var text bytes.Buffer
	families := render.DoctorMetrics(s.Document)
	if !s.Examined {
		families = slices.DeleteFunc(families, func(f exposition.Family) bool { return strings.HasPrefix(f.Name, "timebench_finding") })
	}
	if err := exposition.Write(&text, append(families, s.Metrics()...)); err != nil {
		a.complain("metrics cannot be written: " + err.Error())
		return nil
	}
	if a.server != nil {
		a.server.Show(s)
		a.server.Put(text.Bytes(), overdue*a.flags.every+graceOfTurn)
	}
	if a.flags.textfile == "" {
		return nil
	}
	return a.write(text.Bytes())
}

// write writes the textfile, and returns an event if that fails for another reason than before, or succeeds
// again.
func (a *agent) write(metrics []byte) *watch.Event {
	before := a.unwritten
	a.unwritten = ""
	message := "metrics are written into " + a.flags.textfile + " again"
	if err := watch.WriteTextfile(a.flags.textfile, metrics); err != nil {
		a.unwritten = err.Error()
		message = "metrics are not written: " + a.unwritten
	}
	if a.unwritten == before {
		return nil
	}
	return &watch.Event{Time: time.Now(), Kind: watch.Textfile, Message: message}
}
