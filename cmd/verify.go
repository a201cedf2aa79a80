package cmd

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/show/words"
)

func verifyCommand() *cobra.Command {
	var load bool
	var flags *sectionFlags
	command := &cobra.Command{
		Use:   "verify [CLOCK...]",
		Short: "Check clocks for backward steps, warps, stalls and jumps",
		Long: `Verify reads each clock on all CPUs at once and compares its values: with the previous
value on the same CPU, between CPUs (the time-warp test), between the vDSO and the
system call, and with other clocks. A fault is a contradiction and never a slow read,
so a busy machine causes none.

CLOCK is as for compare. Exit status: 0 if every clock passes, 1 if one fails or if an
available clock could not be verified.`,
		Example: `  timebench verify
  timebench verify --load --duration 1m
  timebench verify CLOCK_MONOTONIC RDTSC@cpu --out verified/`,
		RunE: func(command *cobra.Command, selectors []string) error {
			cpus, clocks, err := flags.check(selectors, clock.Default())
			if err != nil {
				return err
			}
			settings := verify.Settings{Time: flags.time, CPUs: cpus, Load: load, All: clock.Catalog()}
			measure := func(ctx context.Context, document *result.Document, progress func(done, total time.Duration)) error {
				settings.CounterIsTrusted = verify.CounterIsTrusted(document.Host)
				verification := verify.Run(ctx, clocks, settings, progress)
				document.Put(&verification)
				return nil
			}
			document, err := flags.run(command, sectionRun{
				"Verifying " + words.Plural(len(clocks), "clock"), clocks, []int{len(cpus)}, flags.time, measure})
			if err != nil {
				return err
			}
			return trustworthy(document)
		},
	}
	flags = addClockFlags(command, 5*time.Second)
	flags.addCPUs(command)
	command.Flags().BoolVar(&load, "load", false,
		"keep every CPU busy with other threads, because some faults occur only under load (off by default)")
	return command
}

// trustworthy returns an error if a clock fails, or if an available one could not be verified.
func trustworthy(d *result.Document) error {
	v := verify.Of(d)
	var missed []verify.VerifiedClock
	verified := false
	for _, c := range v.Clocks {
		verified = verified || c.Verdict != verify.Unverified
		available := slices.ContainsFunc(compare.Of(d).Clocks,
			func(entry compare.Clock) bool { return entry.ID == c.ID && entry.Available })
		if available && c.Verdict == verify.Unverified {
			missed = append(missed, c)
		}
	}
	switch {
	case !verified && len(v.Clocks) > 0:
		return couldNot(fmt.Errorf("no clock could be verified; %s: %s", v.Clocks[0].ID, v.Clocks[0].Reason))
	case !v.Held():
		return &failure{status: 1}
	case len(missed) > 0:
		return couldNot(fmt.Errorf("%d of %s could not be verified; %s: %s", len(missed),
			words.Plural(len(v.Clocks), "clock"), missed[0].ID, missed[0].Reason))
	}
	return nil
}
