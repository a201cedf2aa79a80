package cmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// rightValues says what would be right for a flag, by the type of its value.
var rightValues = map[string]string{
	"bool":     "write true or false",
	"int":      "write a whole number, such as 10",
	"float64":  "write a number, such as 0.05",
	"duration": "write a span with its unit, such as 100ms, 30s or 1h",
}

// flagError words what pflag found wrong with a flag: its own words are those of Go's parsers.
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

// noArguments refuses arguments.
func noArguments(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments; it got %q", command.Name(), args[0])
	}
	return nil
}
