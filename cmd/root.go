// Package cmd is the command line: one file for each command. A command turns flags into
// settings, calls the packages that measure and format, and returns an exit status. It
// neither measures nor formats.
//
// Exit status: 0 for success; 1 if the command failed, or found what it checks for; 2 if the command line (a flag, the
// name of a file, program or process) or a file is wrong; 3 if a gate (doctor, diff --fail-above, fleet --fail-on)
// could not decide, or doctor failed; the status of the command that profile ran; 129, 130, 131 or 143 if SIGHUP,
// SIGINT, SIGQUIT or SIGTERM ended it. In the last case, and only then, the document is marked as interrupted. Standard
// output has only results.
package cmd

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/show/printable"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/folder"
	_ "github.com/timebench/timebench/internal/system/limits" // ends the program if they are too low
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/internal/system/signals"
	"github.com/timebench/timebench/internal/system/terminal"
)

// Execute runs the command line of this process and returns its exit status.
func Execute() int {
	program.Main(roles)
	signals.Begin()
	debuglog.Printf("start", "%s, process %d: %q", versionLine(), os.Getpid(), os.Args)
	out := &output{to: terminal.Of(os.Stdout)}
	root := Root()
	root.SetOut(out)
	refuseOtherShells(root)
	err := root.Execute()
	if out.err != nil {
		status := 1
		if err != nil {
			status = statusOfError(err)
		}
		err = &failure{status: status, err: errors.Join(out.err, printed(err))}
	}
	if err == nil {
		return 0
	}
	if err := printed(err); err != nil {
		fmt.Fprintln(os.Stderr, "timebench: "+printable.OneLine(err.Error()))
	}
	return statusOfError(err)
}

// statusOfError returns the exit status of a failure, and 2 for other errors: errors of cobra, and of commands that
// refuse their arguments.
func statusOfError(err error) int {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.status
	}
	return 2
}

// A failure is an error with its own exit status. It is silent if err is nil.
type failure struct {
	status int
	err    error
}

func (f *failure) Error() string {
	if f.err == nil {
		return fmt.Sprintf("exit status %d", f.status)
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// printed returns the error to print: nil for a failure without one.
func printed(err error) error {
	var f *failure
	if errors.As(err, &f) && f.err == nil {
		return nil
	}
	return err
}

// couldNot returns a failure with exit status 1: the command line was right, but the command
// cannot do it.
func couldNot(err error) error {
	if err == nil {
		return nil
	}
	return &failure{status: 1, err: err}
}

// refused returns a failure of the system with exit status 1, and any other error as it is.
func refused(err error) error {
	if errors.As(err, new(*folder.Failure)) {
		return couldNot(err)
	}
	return err
}

// couldNotTell is the exit status of a gate that could not decide.
const couldNotTell = 3

// Root returns the tree of commands, to run it or to generate its manual pages.
func Root() *cobra.Command {
	command := &cobra.Command{
		Use:   "timebench",
		Short: "Measure the operating system's clocks",
		Long: "Timebench measures the operating system's clocks: what a read costs and why, whether to trust them, " +
			"and how late sleeps end. Begin with `timebench doctor`.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          refuseUnknown,
		// Cobra calls it for every command without a PersistentPreRunE.
		PersistentPreRunE: func(command *cobra.Command, _ []string) error { return misread(command) },
		RunE: func(command *cobra.Command, _ []string) error {
			if version, _ := command.Flags().GetBool("version"); version {
				_, err := fmt.Fprintln(command.OutOrStdout(), versionLine())
				return couldNot(err)
			}
			return command.Help()
		},
	}
	// Cobra's own flag needs text/template, which calls methods by name. The linker then keeps all
	// methods, and the program is a third larger.
	command.Flags().BoolP("version", "V", false, "print the version of timebench")
	command.SetFlagErrorFunc(flagError)
	command.SetHelpCommand(helpCommand())
	command.SetHelpFunc(showHelp)
	cobra.EnableCommandSorting = false
	command.AddCommand(doctorCommand(), compareCommand(), runtimesCommand(), profileCommand(), wakeCommand(),
		verifyCommand(), skewCommand(), driftCommand(), diffCommand(), fleetCommand(), watchCommand(), renderCommand(),
		listCommand(), envCommand(), versionCommand())
	return command
}

func refuseUnknown(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	command.SuggestionsMinimumDistance = 2
	hint := "`timebench --help` lists the commands"
	if near := command.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	} else if with := withFlag(command, args[0]); with != nil {
		hint = fmt.Sprintf("did you mean `%s --%s`?", with.CommandPath(), strings.Join(args, " "))
	}
	return fmt.Errorf("unknown command %q; %s", args[0], hint)
}
