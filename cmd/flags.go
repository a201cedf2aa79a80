package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/timebench/timebench/internal/report/render"
)

// rightValues has the advice for a wrong value, by the type of the flag.
var rightValues = map[string]string{
	"bool":     "write true or false",
	"int":      "write a whole number, such as 10",
	"float64":  "write a number, such as 0.05",
	"duration": "write a duration with its unit, such as 100ms, 30s or 1h",
}

// flagError returns an error of pflag in plain words: pflag prints those of Go's parsers.
func flagError(command *cobra.Command, err error) error {
	var wrong *pflag.InvalidValueError
	var none *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &wrong):
		name, right := wrong.GetFlag().Name, rightValues[wrong.GetFlag().Value.Type()]
		return fmt.Errorf("--%s %q: %s", name, wrong.GetValue(), right)
	case errors.As(err, &none):
		return fmt.Errorf("--%s has no value; give it one", none.GetSpecifiedName())
	case errors.As(err, &unknown):
		return fmt.Errorf("%w; `%s --help` lists the flags", err, command.CommandPath())
	}
	return err
}

// noArguments returns an error if there are arguments.
func noArguments(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments; it got %q", command.Name(), args[0])
	}
	return nil
}

// chosenFormat returns the format of that name.
func chosenFormat[T any](formats []render.Format[T], name string) (render.Format[T], error) {
	format, ok := render.Named(formats, name)
	if !ok {
		return format, fmt.Errorf("--format %q: write %s", name, strings.Join(render.Names(formats), ", "))
	}
	return format, nil
}

// notEmpty returns an error if one of the flags is given with an empty value.
func notEmpty(command *cobra.Command, flags ...string) error {
	for _, name := range flags {
		if flag := command.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
			return fmt.Errorf("--%s is empty; give it a value or leave it out", name)
		}
	}
	return nil
}

// formerly makes a flag keep its former name, which is not listed.
func formerly(command *cobra.Command, former, now string) {
	others := command.Flags().GetNormalizeFunc()
	command.Flags().SetNormalizeFunc(func(all *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == former {
			name = now
		}
		return others(all, name)
	})
}

// complete makes the shell complete a flag to these values.
func complete(command *cobra.Command, flag string, values ...string) {
	// The only error is a flag that the command does not have.
	_ = command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}
