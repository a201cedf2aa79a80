package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/report/files"
	"github.com/timebench/timebench/internal/report/render"
	"github.com/timebench/timebench/internal/show/words"
)

// odd is the value of --fail-on for a machine that is unlike the others.
const odd = "odd"

type fleetFlags struct {
	failOn string
	reportFlags
}

func fleetCommand() *cobra.Command {
	var flags fleetFlags
	command := &cobra.Command{
		Use:   "fleet RESULT...",
		Short: "Compare the results of many machines, and find the odd ones",
		Long: `Fleet reads the results of many machines. It groups the machines that should be alike
(CPU, kernel, hypervisor, version of timebench), shows what each clock costs in each
group, and names the machines that differ from their group, with the reasons. It counts
the findings of doctor.

RESULT is a result of any command that measures (a folder of --out, a document, a page or
a zip), a folder with many of them, a glob, or - for a list on standard input. A machine
is named by its label host, or by its file; of several results of a host, the newest
with costs counts. A result that cannot be read is named, and the others are compared.

Exit status: 0 if --fail-on finds nothing, 1 if it does, 2 if the command line is wrong or
no result can be read, 3 if --fail-on could not tell.`,
		Example: `  timebench fleet results/
  timebench fleet results/ --out fleet/ --fail-on odd
  find /srv/results -name '*.json' | timebench fleet - --format csv`,
		Args: func(command *cobra.Command, args []string) error {
			if len(args) > 0 {
				return nil
			}
			return cmp.Or(misread(command),
				errors.New("fleet needs results; name files or folders, or - for a list on standard input"))
		},
		RunE: func(command *cobra.Command, names []string) error {
			if slices.Contains(names, "") {
				return errors.New("the name of a result is empty; name a folder or a file")
			}
			names, err := globbed(names)
			if err != nil {
				return err
			}
			return compareMachines(command.InOrStdin(), command.OutOrStdout(), command.ErrOrStderr(), flags, names)
		},
	}
	command.Flags().StringVar(&flags.failOn, "fail-on", never,
		"exit with status 1 if a machine is odd, or has a finding of this `severity` or a worse one: "+
			"odd, error, warn, or never")
	addReportFlags(command, &flags.reportFlags, render.FleetFormats, "fleet.json, fleet.md, fleet.html and a chart")
	complete(command, "fail-on", odd, result.Error, result.Warn, never)
	return command
}

// globbed returns the names of a command line with what its globs match: cmd.exe passes globs as they are
// typed. A name that exists is no glob.
func globbed(names []string) ([]string, error) {
	var all []string
	for _, name := range names {
		if _, err := os.Lstat(name); err == nil || !strings.ContainsAny(name, "*?[") {
			all = append(all, name)
			continue
		}
		found, err := filepath.Glob(name)
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("%s: no file matches; name a file, a folder or a glob such as *.json", name)
		}
		all = append(all, found...)
	}
	return all, nil
}

func compareMachines(stdin io.Reader, stdout, stderr io.Writer, flags fleetFlags, names []string) error {
	to, err := newReport(stdout, stderr, flags.reportFlags, render.FleetFormats, files.OfFleet, "")
	if err != nil {
		return err
	}
	if !slices.Contains([]string{odd, result.Error, result.Warn, never}, flags.failOn) {
		return fmt.Errorf("--fail-on %q: write odd, error, warn or never", flags.failOn)
	}
	found, missing, err := fleet.Find(names, stdin)
	if err != nil {
		return err
	}
	if len(found)+len(missing) == 0 {
		where := strings.Join(names, ", ")
		if where == fleet.Listed {
			where = "the list on standard input"
		}
		return fmt.Errorf("no result is in %s; name files of results, or folders with them", where)
	}
	machines, unread := fleet.Read(found, machineIn)
	unread = append(missing, unread...)
	if len(machines) == 0 {
		more := ""
		if n := len(unread) - 1; n > 0 {
			more = fmt.Sprintf(" (%d more)", n)
		}
		return fmt.Errorf("no result could be read; %s: %s%s", unread[0].File, unread[0].Reason, more)
	}
	f := fleet.Of(machines, unread, time.Now())
	to.target = files.NewTarget(flags.out, files.Fleets)
	if err := reportLoaded(to, f); err != nil {
		return err
	}
	return flags.gate(f)
}

// machineIn returns the machine of a result whose document has at most this size in bytes.
func machineIn(file string, most int64) (fleet.Machine, error) {
	document, err := sections.LoadUpTo(file, most)
	if err != nil {
		return fleet.Machine{}, err
	}
	return fleet.MachineOf(file, document, diagnose.Findings(document)), nil
}

func (flags fleetFlags) gate(f *fleet.Fleet) error {
	if flags.failOn == odd && f.Odd == 0 && f.TooFew() {
		return untold(errors.New("--fail-on odd cannot decide: " + fleet.NeedSimilar))
	}
	failed := map[string]string{odd: f.Differing(), result.Error: f.Faulty(false),
		result.Warn: f.Faulty(true)}[flags.failOn]
	if failed != "" {
		return couldNot(errors.New(failed))
	}
	if n := len(f.Unread); n > 0 && flags.failOn != never {
		return untold(fmt.Errorf("--fail-on %s cannot decide: %s could not be read", flags.failOn, words.Plural(n, "result")))
	}
	return nil
}
