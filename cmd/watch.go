package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/host"
	"github.com/timebench/timebench/internal/render"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/thread"
	"github.com/timebench/timebench/internal/words"
)

// longestWatch bounds what verify, skew and drift may be asked for: drift runs for days.
const longestWatch = 30 * 24 * time.Hour

// watchFlags are the flags of the commands that watch clocks for a time, as they were
// typed: verify, skew and drift.
type watchFlags struct {
	command string
	all     bool
	time    time.Duration
	cpus    string
	format  string
	out     string
	quiet   bool
}

// watchCommand makes the flags and the checks that those commands have in common.
func watchCommand(command *cobra.Command, span time.Duration) *watchFlags {
	flags := &watchFlags{command: command.Name()}
	f := command.Flags()
	f.BoolVar(&flags.all, "all", false, "take every clock that this build knows")
	f.DurationVar(&flags.time, "time", span, "how long, all together")
	f.StringVar(&flags.format, "format", render.SectionFormats[0].Name, strings.Join(render.Names(render.SectionFormats), ", "))
	f.StringVar(&flags.out, "out", "", outHelp)
	f.BoolVar(&flags.quiet, "quiet", false, "show no progress")
	complete(command, "format", render.Names(render.SectionFormats)...)
	command.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return selectorCompletions(), cobra.ShellCompDirectiveNoFileComp
	}
	return flags
}

// withCPUs adds --cpus.
func (flags *watchFlags) withCPUs(command *cobra.Command) {
	command.Flags().StringVar(&flags.cpus, "cpus", "", "a CPU list such as 0,2,4-7 (default all that the process may use)")
}

// check checks what is common, and returns the CPUs.
func (flags *watchFlags) check(command *cobra.Command) ([]int, error) {
	given := []string{"out"}
	if command.Flags().Lookup("cpus") != nil {
		given = append(given, "cpus")
	}
	if err := notEmpty(command, given...); err != nil {
		return nil, err
	}
	if flags.time < shortestTime || flags.time > longestWatch {
		return nil, fmt.Errorf("--time %s: write a span from %s to 720h", flags.time, shortestTime)
	}
	if flags.cpus == "" {
		return thread.Usable(), nil
	}
	cpus, err := thread.ParseCPUs(flags.cpus)
	if err != nil {
		return nil, fmt.Errorf("--cpus: %w", err)
	}
	return cpus, allowed("--cpus", cpus)
}

// selected are the clocks that were asked for, or else usual ones.
func (flags *watchFlags) selected(selectors []string, usual []clock.Clock) ([]clock.Clock, error) {
	if flags.all || len(selectors) > 0 {
		return chosen(flags.all, selectors)
	}
	return usual, nil
}

// A watching is what such a command does with the clocks: it adds to the document what it
// saw until ctx ended.
type watching func(ctx context.Context, document *result.Document, tell func(done, total time.Duration)) error

// run watches the clocks and writes what was seen.
func (flags *watchFlags) run(stdout, stderr io.Writer, what string, clocks []clock.Clock, threads int, watch watching) (*result.Document, error) {
	format, err := chosenFormat(render.SectionFormats, flags.format)
	if err != nil {
		return nil, err
	}
	target := newTarget(flags.out, results(flags.command))
	ctx, ended := untilSignal(target.giveUp, consoleAsItIs(stderr))
	if err := target.open(); err != nil {
		return nil, err
	}
	entries, err := tried(clocks)
	if err != nil {
		target.abandon()
		return nil, couldNot(err)
	}
	document := newDocument(host.Facts(), entries, result.Settings{
		Threads: []int{threads}, TimeNS: int64(flags.time), Pin: "none", Workers: "threads",
	})
	tell, stop := showBar(stderr, flags.quiet, fmt.Sprintf("%s %s", what, words.Plural(len(clocks), "clock")), flags.time)
	sources := watchSources()
	// What was seen before it failed is shown too.
	spoilt := watch(ctx, document, sources.during(tell))
	document.Warnings = append(document.Warnings, sources.warnings()...)
	stop(spoilt == nil && ctx.Err() == nil)
	document.GeneratedAt, document.Interrupted = time.Now().UTC().Truncate(time.Second), ctx.Err() != nil
	document.Warnings = append(document.Warnings, diagnose.Noise(document)...)
	unwritten := target.write(reportFiles(document))
	if err := format.Write(stdout, document); err != nil {
		return nil, couldNot(err)
	}
	if err := errors.Join(spoilt, unwritten); err != nil {
		return nil, couldNot(err)
	}
	if err := interruption(document, ended); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(document.Clocks, func(c result.Clock) bool { return c.Available }) {
		return nil, couldNot(errors.New("none of the chosen clocks is available here; `timebench list` shows which are"))
	}
	return document, nil
}
