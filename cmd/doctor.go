package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/diagnose/examine"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/report/files"
	"github.com/timebench/timebench/internal/report/render"
	"github.com/timebench/timebench/internal/system/terminal"
)

// never is the value of --fail-on for exit status 0 whatever doctor finds.
const never = "never"

type doctorFlags struct {
	failOn      string
	failAboveNS float64
	fast        bool
	reportFlags
}

func doctorCommand() *cobra.Command {
	var flags doctorFlags
	command := &cobra.Command{
		Use:   "doctor [FILE]",
		Short: "Find whether the clocks are slow or wrong, why, and what to do",
		Long: `Doctor measures for about two seconds, up to ten on a busy machine, and reads what the
system reports about its clocks. It prints what is wrong: the evidence, the cause, the
remedies and their risks, and what it could not check. It changes nothing and does not
need root. Root can read the kernel log where other users cannot, and sees which programs
read clocks.

With FILE doctor measures nothing and diagnoses another machine: FILE is the result of a
command that measures, a kernel log (dmesg, journalctl -k), or a sosreport; - is standard
input.

Exit status: 0 if nothing is at or above the severity of --fail-on, 1 if something is, 2 if
the command line or the file is wrong, 3 if doctor could not tell: it could not measure, or
no clock was timed. With --format nagios it is 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN.`,
		Example: `  timebench doctor
  timebench doctor report.html
  timebench doctor dmesg.txt
  ssh host dmesg | timebench doctor -
  timebench doctor --out diagnosis/
  timebench doctor --fast --fail-on error --fail-above-ns 200
  timebench doctor --format nagios --fast --fail-on error`,
		Args: func(command *cobra.Command, names []string) error {
			return unprinted(command.OutOrStdout(), flags.refuse(command.OutOrStdout(), flags.wrong(command, names)))
		},
		RunE: func(command *cobra.Command, names []string) error {
			return unprinted(command.OutOrStdout(), doctor(command.OutOrStdout(), command.ErrOrStderr(), flags, names))
		},
	}
	command.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return flags.refuse(command.OutOrStdout(), flagError(command, err))
	})
	f := command.Flags()
	f.StringVar(&flags.failOn, "fail-on", result.Warn,
		"exit with status 1 if a finding has this `severity` or a worse one: error, warn, or never")
	f.Float64Var(&flags.failAboveNS, "fail-above-ns", 0,
		"report an error if an everyday clock costs more than this many `ns`/read beyond noise, or none was timed")
	f.BoolVar(&flags.fast, "fast", false,
		"take less than a second: leave out what needs a longer measurement (scaling, verification, programs, wake-ups)")
	addReportFlags(command, &flags.reportFlags, render.DoctorFormats, documentFiles)
	addLabelFlag(command, &flags.reportFlags)
	complete(command, "fail-on", result.Error, result.Warn, never)
	return command
}

func (flags doctorFlags) wrong(command *cobra.Command, names []string) error {
	if err := misread(command); err != nil {
		return err
	}
	if len(names) > 1 {
		return fmt.Errorf("doctor takes one result or none; it got %d", len(names))
	}
	const least, most = 0.001, 1e12
	if command.Flags().Changed("fail-above-ns") && !(flags.failAboveNS >= least && flags.failAboveNS <= most) {
		return fmt.Errorf("--fail-above-ns %g: write nanoseconds from %g to %g, such as 100", flags.failAboveNS, least, most)
	}
	for _, name := range []string{"fast", "label"} {
		if command.Flags().Changed(name) && len(names) == 1 {
			return fmt.Errorf("--%s and %q: doctor measures nothing for a saved result; omit --%s", name, names[0], name)
		}
	}
	if flags.check() != nil && flags.failOn == never {
		return fmt.Errorf("--fail-on never and --format %s: the status would mean nothing; omit one of them", flags.format)
	}
	return nil
}

func doctor(stdout, stderr io.Writer, flags doctorFlags, names []string) error {
	document, err := flags.diagnose(stdout, stderr, names)
	switch {
	case document == nil:
		if statusOfError(err) == 1 { // a finding
			err = untold(err)
		}
		return flags.refuse(stdout, err)
	case err == nil || printed(err) == nil: // none, or a signal
		return cmp.Or(err, flags.verdict(document))
	}
	// The diagnosis is printed, and the files of --out are not written. A finding is worse.
	if verdict := flags.verdict(document); verdict != nil && statusOfError(verdict) != couldNotTell {
		return &failure{status: statusOfError(verdict), err: err}
	}
	return untold(err)
}

// diagnose prints a diagnosis, and returns its document; nil if there is nothing to print.
func (flags doctorFlags) diagnose(stdout, stderr io.Writer, names []string) (*result.Document, error) {
	command := "doctor"
	if len(names) == 1 {
		command = ""
	}
	to, err := newReport(stdout, stderr, flags.reportFlags, render.DoctorFormats, files.OfDiagnosis, command)
	if err != nil {
		return nil, err
	}
	if !slices.Contains([]string{result.Error, result.Warn, never}, flags.failOn) {
		return nil, fmt.Errorf("--fail-on %q: write error, warn or never", flags.failOn)
	}
	to.format = flags.gated(to.format)
	if len(names) == 1 {
		return flags.diagnoseSaved(to, names[0])
	}
	return flags.diagnoseHere(to)
}

// unprinted returns the failure of a check whose standard output could not be written: the result was not delivered.
func unprinted(stdout io.Writer, err error) error {
	o, ok := stdout.(*output)
	if !ok || o.err == nil {
		return err
	}
	if err == nil || statusOfError(err) <= 1 {
		return untold(printed(err))
	}
	return err
}

func (flags doctorFlags) diagnoseSaved(to report[*result.Document], name string) (*result.Document, error) {
	document, err := loadAttached(name)
	if err != nil {
		return nil, err
	}
	to.target = files.NewTarget(flags.out, files.Results(files.MeasuredBy(document)...))
	if document.Tool.Command != "doctor" {
		document.NotChecked = diagnose.NotChecked(document, "the result does not have it")
	}
	flags.addFindings(document)
	if err := to.begin(); err != nil {
		return nil, err
	}
	return document, couldNot(to.write(document))
}

func (flags doctorFlags) diagnoseHere(to report[*result.Document]) (*result.Document, error) {
	return run(to, func(ctx context.Context) (*result.Document, error) {
		update, stop := terminal.Progress(to.stderr, flags.quiet || flags.fast, "Examining the clocks")
		update(0, examine.Estimate(false))
		document, err := examine.Run(ctx, tool(), flags.fast, update)
		stop(err == nil && !document.Interrupted)
		if err != nil {
			return nil, err
		}
		flags.addFindings(document)
		return document, nil
	})
}

// addFindings puts the findings into the document, with the finding of --fail-above-ns.
func (flags doctorFlags) addFindings(document *result.Document) {
	document.Findings = diagnose.Findings(document)
	if flags.failAboveNS > 0 {
		if slow := diagnose.OverLimit(document, flags.failAboveNS); slow != nil {
			document.Findings = diagnose.Sorted(append(document.Findings, *slow))
		}
	}
}

// gated makes the format of a health check omit what --fail-on ignores: its output and the exit status agree.
func (flags doctorFlags) gated(format render.Format[*result.Document]) render.Format[*result.Document] {
	if format.Check == nil {
		return format
	}
	write := format.Write
	format.Write = func(w io.Writer, d *result.Document) error {
		gated := *d
		gated.Findings = slices.DeleteFunc(slices.Clone(d.Findings),
			func(f result.Finding) bool { return !fails(f.Severity, flags.failOn) })
		return write(w, &gated)
	}
	return format
}

// verdict returns the exit status of a diagnosis as a failure; nil for 0.
func (flags doctorFlags) verdict(document *result.Document) error {
	findings, told := diagnose.Conclusive(document)
	for _, f := range findings { // the worst first
		switch {
		case !fails(f.Severity, flags.failOn):
		case flags.check() != nil && f.Severity == result.Error:
			return &failure{status: flags.check().Error}
		default:
			return &failure{status: 1}
		}
	}
	if !told && flags.failOn != never {
		return &failure{status: couldNotTell}
	}
	return nil
}

// check returns the health check that the format is for; nil without one.
func (flags doctorFlags) check() *render.Check {
	format, _ := render.Named(render.DoctorFormats, flags.format)
	return format.Check
}

// refuse returns an error as the format of a health check reports it: the state is unknown.
func (flags doctorFlags) refuse(stdout io.Writer, err error) error {
	check := flags.check()
	if check == nil || check.Refuse == nil || printed(err) == nil {
		return err
	}
	return &failure{status: couldNotTell, err: check.Refuse(stdout, printed(err))}
}

// fails reports whether a severity is at least as bad as --fail-on.
func fails(severity, failOn string) bool {
	limit := slices.Index(result.Severities, failOn)
	return limit >= 0 && slices.Index(result.Severities, severity) <= limit
}
