package cmd

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/system/terminal"
)

// showHelp writes the help of a command as wide as the output; cobra's help has lines of any width. Of a command with
// other commands it lists these, within one screen.
func showHelp(command *cobra.Command, _ []string) {
	width := terminal.Width(command.OutOrStdout())
	parts := []string{prose(cmp.Or(command.Long, command.Short), width)}
	if command.HasAvailableSubCommands() {
		parts = append(parts, subcommands(command, width),
			table.Indented(fmt.Sprintf("`%s COMMAND --help` explains a command.", command.CommandPath()), 0, width))
	} else {
		parts = append(parts, "Usage:\n"+table.Indented(command.UseLine(), 2, width))
		if command.HasExample() {
			parts = append(parts, "Examples:\n"+command.Example+"\n")
		}
		parts = append(parts, "Flags:\n"+command.LocalFlags().FlagUsagesWrapped(width))
	}
	_, _ = io.WriteString(command.OutOrStdout(), strings.Join(parts, "\n")) // an output keeps the error
}

// prose returns paragraphs wrapped to a width. An indented paragraph, such as a command to copy, stays as it is.
func prose(text string, width int) string {
	var paragraphs []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(paragraph, "\t") {
			paragraphs = append(paragraphs, strings.TrimRight(paragraph, "\n")+"\n")
			continue
		}
		paragraphs = append(paragraphs, table.Indented(strings.Join(strings.Fields(paragraph), " "), 0, width))
	}
	return strings.Join(paragraphs, "\n")
}

func subcommands(command *cobra.Command, width int) string {
	var facts []table.Fact
	for _, c := range command.Commands() {
		if c.IsAvailableCommand() {
			facts = append(facts, table.Fact{Name: fmt.Sprintf("%-*s", c.NamePadding(), c.Name()), Value: c.Short})
		}
	}
	out := new(strings.Builder)
	out.WriteString("Commands:\n")
	table.WriteFacts(out, facts, 2, width)
	return out.String()
}
