package cmd

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/timebench/timebench/internal/clock"
)

// sameFlags are names of flags by which other commands choose CPUs.
var sameFlags = map[string]string{"pin": "cpus", "cpus": "pin"}

// flagHint returns what was probably meant by the name of a flag that a command does not have.
func flagHint(command *cobra.Command, name string) string {
	var names []string
	command.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if same := sameFlags[name]; slices.Contains(names, same) {
		return "did you mean --" + same + "?"
	}
	if near := clock.Nearest(names, name); len(near) > 0 && len(name) > 1 {
		return "did you mean --" + near[0] + "?"
	}
	if other := withFlag(command.Root(), name); other != nil {
		return fmt.Sprintf("`%s --%s` has it", other.CommandPath(), name)
	}
	return fmt.Sprintf("`%s --help` lists the flags", command.CommandPath())
}

// withFlag returns the first command that has a flag; nil without any.
func withFlag(root *cobra.Command, name string) *cobra.Command {
	i := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Flags().Lookup(name) != nil })
	if i < 0 {
		return nil
	}
	return root.Commands()[i]
}

// flagUsage returns a flag with the name of its value: --out folder.
func flagUsage(flag *pflag.Flag) string {
	name, _ := pflag.UnquoteUsage(flag)
	return strings.TrimSpace("--" + flag.Name + " " + name)
}

// misread returns an error for arguments that pflag reads in another sense than a person: one dash before a name
// (-threads is -t hreads), a flag in place of a value (--out --threads 2), the word help; and for an empty text as a
// value.
func misread(command *cobra.Command) (err error) {
	isFlag := func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		return arg != name && (command.Flags().Lookup(name) != nil || len(name) == 1 &&
			command.Flags().ShorthandLookup(name) != nil)
	}
	for _, arg := range os.Args[1:] {
		if arg == "--" {
			break
		}
		if len(arg) > len("-t") && arg[1] != '-' && isFlag(arg) {
			return fmt.Errorf("%s: a name has two dashes; write -%s", arg, arg)
		}
	}
	command.Flags().Visit(func(f *pflag.Flag) {
		switch value := f.Value.String(); {
		case err != nil:
		case value == "" && f.Value.Type() == "string":
			err = fmt.Errorf("--%s is empty; give it a value or leave it out", f.Name)
		case isFlag(value):
			err = fmt.Errorf("--%s has no value, but %s behind it; write %s", f.Name, value, flagUsage(f))
		}
	})
	if args := command.Flags().Args(); err == nil && len(args) == 1 && args[0] == "help" && command.Name() != "help" {
		if _, absent := os.Stat("help"); absent != nil {
			return fmt.Errorf("did you mean `%s --help`?", command.CommandPath())
		}
	}
	return err
}
