package cmd

import (
	"context"
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
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/report/render"
	"github.com/timebench/timebench/internal/show/exposition"
	"github.com/timebench/timebench/internal/system/signals"
	"github.com/timebench/timebench/internal/watch"
)

type watchFlags struct {
	every    time.Duration
	listen   string
	textfile string
	format   string
	quiet    bool
}

func watchCommand() *cobra.Command {
	var flags watchFlags
	command := &cobra.Command{
		Use:   "watch",
		Short: "Watch the clocks, print changes, and serve metrics",
		Long: `Watch looks at the clocks of this machine again and again, until Ctrl-C ends it. It prints
a line when something changes, and none otherwise: the clock source of the kernel, what a
read of the everyday clocks costs, whether it enters the kernel, whether the wall clock is
synchronised, steps of the wall clock, and moments in which the machine was suspended or
paused. After a change it diagnoses the machine as doctor --fast does.

Watch needs no root. It serves its figures as metrics of Prometheus by HTTP (--listen:
/metrics and /healthz), and as a file for the textfile collector of node_exporter.

Exit status: 0 if a signal ended it, 1 if it could not begin, 2 if the command line is
wrong.`,
		Example: `  timebench watch
  timebench watch --listen 127.0.0.1:9109 --format json
  timebench watch --textfile /var/lib/prometheus/node-exporter/timebench.prom`,
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			format, err := flags.check()
			if err != nil {
				return err
			}
			return flags.run(direct(command.OutOrStdout()), command.ErrOrStderr(), format)
		},
	}
	f := command.Flags()
	f.DurationVar(&flags.every, "every", 30*time.Second, "time between two measurements")
	f.StringVar(&flags.listen, "listen", "",
		"serve metrics on this `address`, such as 127.0.0.1:9109; without a host, on the loopback")
	f.StringVar(&flags.textfile, "textfile", "", "write metrics into this `file`, whose name ends in .prom")
	names := render.Names(lineFormats)
	f.StringVarP(&flags.format, "format", "f", names[0], "`format` of the lines: "+strings.Join(names, ", "))
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "do not say on standard error what is watched")
	complete(command, "format", names...)
	return command
}

// lineFormats are the formats of events, the default first.
var lineFormats = []render.Format[watch.Event]{{Name: "text", Write: watch.TextLine}, {Name: "json", Write: watch.JSONLine}}

func (flags watchFlags) check() (format render.Format[watch.Event], err error) {
	if flags.listen != "" {
		_, port, err := net.SplitHostPort(flags.listen)
		if _, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil {
			return format, fmt.Errorf("--listen %q: write HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:9109",
				flags.listen)
		}
	}
	if flags.every < watch.MinEvery || flags.every > watch.MaxEvery {
		return format, timeError("every", flags.every, watch.MinEvery, "24h")
	}
	if format, err = chosenFormat(lineFormats, reportFlags{format: flags.format}); err != nil || flags.textfile == "" {
		return format, err
	}
	if err := watch.CheckTextfile(flags.textfile); err != nil {
		return format, refused(fmt.Errorf("--textfile: %w", err))
	}
	return format, nil
}

// direct returns a writer that does not keep an error, because a log on a full disk may have space later.
func direct(w io.Writer) io.Writer {
	if o, ok := w.(*output); ok {
		return o.to
	}
	return w
}

// run watches until a signal comes.
func (flags watchFlags) run(stdout, stderr io.Writer, format render.Format[watch.Event]) error {
	ctx, _ := signals.Until()
	signals.IgnoreClosedPipe()
	a := &watch.Agent{Format: format.Write, Every: flags.every, Textfile: flags.textfile,
		Metrics: func(d *result.Document) []exposition.Family {
			d.Tool = tool()
			return render.DoctorMetrics(render.Clean(d))
		}}
	a.Print(stdout, stderr)
	defer a.Close()
	if flags.listen != "" {
		server, err := watch.Listen(flags.listen)
		if err != nil {
			return couldNot(fmt.Errorf("--listen %w", err))
		}
		defer server.Close()
		a.Server = server
		go a.Serve()
	}
	clocks := watchedClocks(clock.Catalog())
	if !flags.quiet {
		a.Announce(len(clocks))
	}
	watch.Run(ctx, watch.Settings{
		Every: flags.every, Clocks: clocks, Report: a.Report, Publish: a.Publish,
		Examine: func(ctx context.Context) (*result.Document, error) {
			document, err := examine.Run(ctx, tool(), true, nil)
			if err == nil {
				document.Findings = diagnose.Findings(document)
			}
			return document, err
		},
	})
	return nil
}

// watchedClocks returns the clocks that programs read most, and the system call for comparison.
func watchedClocks(all []clock.Clock) []clock.Clock {
	return slices.DeleteFunc(all, func(c clock.Clock) bool {
		return !slices.Contains(situation.Everyday, c.ID) && c.ID != "CLOCK_MONOTONIC@syscall" && c.ID != "time.Now@go"
	})
}
