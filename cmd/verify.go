package cmd

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/verify"
	"github.com/timebench/timebench/internal/words"
)

func verifyCommand() *cobra.Command {
	var load bool
	var flags *sectionFlags
	command := &cobra.Command{
		Use:   "verify [CLOCK...]",
		Short: "Try whether clocks can be trusted: backwards, warps, stalls, jumps",
		Long: `Verify reads each clock on all CPUs at once and holds its values against each other:
on one CPU, from CPU to CPU (the time-warp test), by the vDSO against the system call,
and against other clocks. A fault is a contradiction, never a slow read, so a busy
machine gives none.

CLOCK is as for compare. Exit status: 0 where every clock held, 1 where one did not, or
where one that is there could not be verified.`,
		Example: `  timebench verify
  timebench verify --load --time 1m
  timebench verify CLOCK_MONOTONIC RDTSC@cpu --out verified/`,
		RunE: func(command *cobra.Command, selectors []string) error {
			cpus, err := flags.check(command)
			if err != nil {
				return err
			}
			clocks, err := chosen(flags.all, selectors, clock.Default())
			if err != nil {
				return err
			}
			settings := verify.Settings{Time: flags.time, CPUs: cpus, Load: load, All: clock.Catalog()}
			measure := func(ctx context.Context, document *result.Document, tell func(done, total time.Duration)) error {
				settings.CounterIsTrusted = madeOfCounter(document.Host)
				verification := verify.Run(ctx, clocks, settings, tell)
				document.Put(&verification)
				return nil
			}
			document, err := flags.run(command.OutOrStdout(), command.ErrOrStderr(), sectionRun{"Verifying", clocks, len(cpus), measure})
			if err != nil {
				return err
			}
			return trustworthy(document)
		},
	}
	flags = addSectionFlags(command, 5*time.Second)
	flags.addCPUs(command)
	command.Flags().BoolVar(&load, "load", false, "keep every CPU busy with other threads meanwhile: some faults show only then")
	return command
}

// trustworthy is nil where every clock that is there was verified and held.
func trustworthy(d *result.Document) error {
	v := verify.Of(d)
	var missed []verify.VerifiedClock
	verified := false
	for _, c := range v.Clocks {
		verified = verified || c.Verdict != verify.Unverified
		there := slices.ContainsFunc(d.Clocks, func(entry result.Clock) bool { return entry.ID == c.ID && entry.Available })
		if there && c.Verdict == verify.Unverified {
			missed = append(missed, c)
		}
	}
	switch {
	case !verified && len(v.Clocks) > 0:
		return couldNot(fmt.Errorf("no clock could be verified; %s: %s", v.Clocks[0].ID, v.Clocks[0].Reason))
	case !v.Held():
		return &failure{status: 1}
	case len(missed) > 0:
		return couldNot(fmt.Errorf("%d of %s could not be verified; %s: %s", len(missed), words.Plural(len(v.Clocks), "clock"), missed[0].ID, missed[0].Reason))
	}
	return nil
}

// counterSources are the clock sources that are the CPU's own counter (the names are those
// of the kernel's drivers). Under another one the kernel may have found the counter to be
// wrong.
var counterSources = []string{"tsc", "arch_sys_counter"}

// madeOfCounter reports whether the system makes its time of the CPU's counter, or would:
// a paravirtual clock source beside a tsc that is on offer. Of a system that does not
// say, the CPU must promise a counter that keeps its rate.
func madeOfCounter(host result.Host) bool {
	if host.ClockSource == nil {
		return host.CPU.InvariantTSC == nil || *host.CPU.InvariantTSC
	}
	paravirtual := []string{"kvm-clock", "hyperv_clocksource_tsc_page"}
	return slices.Contains(counterSources, host.ClockSource.Current) ||
		slices.Contains(paravirtual, host.ClockSource.Current) && slices.Contains(host.ClockSource.Available, "tsc")
}
