package cmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/diagnose/examine"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/measure"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/report/files"
	"github.com/timebench/timebench/internal/report/render"
	"github.com/timebench/timebench/internal/system/terminal"
)

// maxSectionTime is the upper limit of --duration of verify, skew and drift: drift runs for days.
const maxSectionTime = 30 * 24 * time.Hour

// sectionFlags are the flags shared by the commands that measure one section of the document, as they were typed.
type sectionFlags struct {
	all  bool
	time time.Duration
	cpus string
	// noProgress hides the progress bar, but not the names of the written files.
	noProgress bool
	reportFlags
}

// addSectionFlags adds the shared flags to a command: the flags of a report, and the time under the name timeFlag.
func addSectionFlags(command *cobra.Command, timeFlag string, defaultTime time.Duration,
	timeHelp string) *sectionFlags {
	flags := &sectionFlags{}
	command.Flags().DurationVar(&flags.time, timeFlag, defaultTime, timeHelp)
	addReportFlags(command, &flags.reportFlags, formatsOf(command), documentFiles)
	addLabelFlag(command, &flags.reportFlags)
	return flags
}

// formatsOf returns the formats of a command that measures one section.
func formatsOf(command *cobra.Command) []render.Format[*result.Document] {
	i := slices.IndexFunc(sections.All, func(kind section.Kind) bool { return kind.Command == command.Name() })
	return render.FormatsOf(sections.All[i].New())
}

// addClockFlags adds the shared flags to a command that measures chosen clocks.
func addClockFlags(command *cobra.Command, defaultTime time.Duration) *sectionFlags {
	flags := addSectionFlags(command, "duration", defaultTime, "how long to measure in all")
	command.Flags().BoolVar(&flags.all, "all", false, allHelp)
	command.ValidArgsFunction = completeSelectors
	return flags
}

func (flags *sectionFlags) addCPUs(command *cobra.Command) {
	command.Flags().StringVar(&flags.cpus, "cpus", "",
		"the `cpus` to measure on, such as 0,2,4-7 (default all that the process may use)")
}

// check returns the CPUs to measure on, and the clocks that the selectors name, or else the usual ones. An error names
// the wrong flag.
func (flags *sectionFlags) check(selectors []string, usual []clock.Clock) (cpus []int, clocks []clock.Clock,
	err error) {
	if flags.time < minTime || flags.time > maxSectionTime {
		return nil, nil, timeError("duration", flags.time, minTime, "720h")
	}
	if cpus, err = flags.onCPUs(thread.Usable()); err != nil {
		return nil, nil, err
	}
	clocks, err = chosen(flags.all, selectors, usual)
	return cpus, clocks, err
}

// onCPUs returns the CPUs of --cpus, or else the usual ones.
func (flags *sectionFlags) onCPUs(usual []int) ([]int, error) {
	if flags.cpus == "" {
		return usual, nil
	}
	cpus, err := thread.ParseCPUs(flags.cpus)
	if err != nil {
		return nil, fmt.Errorf("--cpus: %w", err)
	}
	return cpus, allowed("--cpus", cpus)
}

// A sectionRun is what such a command measures, and how.
type sectionRun struct {
	announcement string // the line above the progress bar
	clocks       []clock.Clock
	threads      []int
	estimate     time.Duration // 0 if measure knows it, and reports it with the progress
	// measure puts the section into the document, with what is complete when ctx ends.
	measure func(ctx context.Context, document *result.Document, progress func(done, total time.Duration)) error
}

func (flags *sectionFlags) run(command *cobra.Command, section sectionRun) (*result.Document, error) {
	stderr := command.ErrOrStderr()
	to, err := newReport(command.OutOrStdout(), stderr, flags.reportFlags, formatsOf(command), files.OfDocument,
		command.Name())
	if err != nil {
		return nil, err
	}
	document, err := run(to, func(ctx context.Context) (*result.Document, error) {
		return flags.document(ctx, stderr, section)
	})
	if err != nil {
		return nil, err
	}
	return document, someAvailable(document)
}

// document returns the document with the section; nil without any result. With an error, it has what was measured
// before the error.
func (flags *sectionFlags) document(ctx context.Context, stderr io.Writer,
	section sectionRun) (*result.Document, error) {
	entries, err := measure.Availability(section.clocks)
	if err != nil {
		return nil, err
	}
	document := examine.NewDocument(tool(), host.Facts(), compare.Costs{Clocks: entries}, result.Settings{
		Threads: section.threads, TimeNS: int64(flags.time), Pin: "none", Workers: "threads",
	})
	update, stop := terminal.Progress(stderr, flags.quiet || flags.noProgress, section.announcement)
	update(0, section.estimate)
	recorder := measure.Record()
	failed := section.measure(ctx, document, func(done, total time.Duration) {
		recorder.Glance()
		update(done, total)
	})
	conditions := recorder.End()
	document.Conditions = &conditions
	stop(failed == nil && ctx.Err() == nil)
	if failed != nil && nothing(document) {
		return nil, failed
	}
	document.GeneratedAt, document.Interrupted = time.Now().UTC().Truncate(time.Second), ctx.Err() != nil
	document.Warnings = append(document.Warnings, diagnose.Warnings(document)...)
	return document, failed
}

func nothing(d *result.Document) bool {
	return !slices.ContainsFunc(d.Sections, func(s result.Section) bool { return !section.Empty(s) })
}
