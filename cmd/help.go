package cmd

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

// helpCommand is cobra's own, but that it refuses what it does not know.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show what a command does, and its flags",
		RunE: func(command *cobra.Command, args []string) error {
			meant, rest, err := command.Root().Find(args)
			if err != nil {
				return err
			}
			if err := known(meant, rest); err != nil {
				return err
			}
			meant.InitDefaultHelpFlag()
			return meant.Help()
		},
		ValidArgsFunction: func(command *cobra.Command, _ []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			for _, c := range command.Root().Commands() {
				if c.IsAvailableCommand() {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// refuseOtherShells has cobra's command refuse a shell that it has no completion for.
func refuseOtherShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	i := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == "completion" })
	completion := root.Commands()[i]
	completion.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("no completion for %q; write bash, zsh, fish or powershell", args[0])
		}
		return nil
	}
	completion.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
}
