package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/timebench/timebench/internal/report/render"
)

// rightValues has the advice for a wrong value, by the type of the flag.
var rightValues = map[string]string{
	"bool":     "write true or false",
	"int":      "write a whole number, such as 10",
	"float64":  "write a number without a unit, such as 100",
	"duration": "write a duration with its unit, such as 100ms, 30s or 1h",
}

// flagError returns an error of pflag in plain words: pflag prints the errors of Go's parsers.
func flagError(command *cobra.Command, err error) error {
	var wrong *pflag.InvalidValueError
	var none *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &wrong):
		return fmt.Errorf("--%s %q: %s", wrong.GetFlag().Name, wrong.GetValue(), rightValues[wrong.GetFlag().Value.Type()])
	case errors.As(err, &none):
		return fmt.Errorf("--%s has no value; write %s", none.GetFlag().Name, flagUsage(none.GetFlag()))
	case errors.As(err, &unknown):
		if err := misread(command); err != nil {
			return err
		}
		return fmt.Errorf("%w; %s", err, flagHint(command, unknown.GetSpecifiedName()))
	}
	return err
}

func noArguments(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return cmp.Or(misread(command), fmt.Errorf("%s takes no arguments; it got %q", command.Name(), args[0]))
}

// chosenFormat returns the format that the flags name. With --verbose it shortens nothing.
func chosenFormat[T any](formats []render.Format[T], flags reportFlags) (render.Format[T], error) {
	format, ok := render.Named(formats, flags.format)
	if !ok {
		return format, fmt.Errorf("--format %q: write %s", flags.format, strings.Join(render.Names(formats), ", "))
	}
	if flags.verbose && format.Whole != nil {
		format.Write = format.Whole
	}
	return format, nil
}

func timeError(flag string, given, least time.Duration, most string) error {
	return fmt.Errorf("--%s %s: write a duration from %s to %s", flag, given, least, most)
}

func complete(command *cobra.Command, flag string, values ...string) {
	// The only error is a flag that the command does not have.
	_ = command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}
