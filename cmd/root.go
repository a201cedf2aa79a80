// Package cmd is the command line: one file a command. A command turns flags
// into settings, calls down, and turns what comes back into output and an exit
// status. It neither measures nor formats.
//
// Exit status: 0 done; 1 it could not do it; 2 the command line or a file was
// wrong; 129, 130, 131 or 143 ended by SIGHUP, SIGINT, SIGQUIT or SIGTERM: the
// document says interrupted then, and only then. Results go to standard output
// and nothing else does.
package cmd

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/printable"
	"github.com/timebench/timebench/internal/trace"
)

// Execute runs the command line of this process and returns its exit status.
func Execute() int {
	handleSignals()
	trace.Printf("start", "%s, process %d: %q", versionLine(), os.Getpid(), os.Args)
	out := &output{to: shown(os.Stdout)}
	root := Root()
	root.SetOut(out)
	refuseOtherShells(root)
	err := root.Execute()
	if out.err != nil {
		err = couldNot(errors.Join(out.err, spoken(err)))
	}
	if err == nil {
		return 0
	}
	var f *failure
	if !errors.As(err, &f) {
		// What cobra finds wrong and what a command refuses is the user's to mend.
		f = &failure{status: 2, err: err}
	}
	if err := spoken(err); err != nil {
		fmt.Fprintln(os.Stderr, "timebench: "+oneLine(err.Error()))
	}
	return f.status
}

// A failure is an error with an exit status other than 2. A nil err is silent.
type failure struct {
	status int
	err    error
}

func (f *failure) Error() string { return fmt.Sprint(f.err) }

func (f *failure) Unwrap() error { return f.err }

// spoken returns an error that is to be told, nil for one that is silent.
func spoken(err error) error {
	var f *failure
	if errors.As(err, &f) && f.err == nil {
		return nil
	}
	return err
}

// couldNot is the failure to do what was rightly asked.
func couldNot(err error) error {
	if err == nil {
		return nil
	}
	return &failure{status: 1, err: err}
}

// oneLine returns the text of an error as one line that no terminal obeys: names of files
// and of clocks are in it. Joined errors stand on lines of their own: they are separated as
// clauses are.
func oneLine(text string) string {
	var line strings.Builder
	for part := range strings.Lines(text) {
		part = strings.Join(strings.Fields(printable.Line(part)), " ")
		switch so := line.String(); {
		case part == "":
			continue
		case so == "":
		case strings.ContainsRune(".:;,?!", rune(so[len(so)-1])):
			line.WriteString(" ")
		default:
			line.WriteString("; ")
		}
		line.WriteString(part)
	}
	return line.String()
}

// Root returns the command line as a tree of commands, for who runs or describes it.
func Root() *cobra.Command {
	command := &cobra.Command{
		Use:   "timebench",
		Short: "Measure the operating system's clocks",
		Long: `Timebench measures the operating system's clocks: what it costs to ask what
time it is, how fine the answer is, whether it scales over threads, whether it can be
trusted, and, when it is slow, why.`,
		Example: `  timebench doctor
  timebench compare
  timebench compare --threads 1..24 --out report/
  timebench verify --load
  timebench compare CLOCK_MONOTONIC '*_COARSE@vdso' @cpu`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          known,
		RunE: func(command *cobra.Command, _ []string) error {
			if version, _ := command.Flags().GetBool("version"); version {
				_, err := fmt.Fprintln(command.OutOrStdout(), versionLine())
				return couldNot(err)
			}
			return command.Help()
		},
	}
	// Not cobra's own: its template needs text/template, which calls methods by name, so that
	// the linker keeps all of them. The program was a third larger.
	command.Flags().BoolP("version", "v", false, "Show the version of timebench")
	command.SetFlagErrorFunc(flagError)
	command.SetHelpCommand(helpCommand())
	command.AddCommand(compareCommand(), doctorCommand(), verifyCommand(), skewCommand(), driftCommand(), diffCommand(), renderCommand(), listCommand(), envCommand(), versionCommand(), workerCommand(), guardianCommand())
	return command
}

// known refuses a command that there is not, and names the one that was meant.
func known(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	command.SuggestionsMinimumDistance = 2
	hint := "`timebench --help` lists them"
	if near := command.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("unknown command %q; %s", args[0], hint)
}
