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

// showHelp writes the help of a command as wide as the output. Cobra's own has lines of any width.
func showHelp(command *cobra.Command, _ []string) {
	width := terminal.Width(command.OutOrStdout())
	parts := []string{prose(cmp.Or(command.Long, command.Short), width), usage(command, width)}
	if command.HasExample() {
		parts = append(parts, "Examples:\n"+examples(command.Example, width))
	}
	if command.HasAvailableSubCommands() {
		for _, group := range command.Groups() {
			parts = append(parts, subcommands(command, *group, width))
		}
		others := "Available Commands:"
		if len(command.Groups()) > 0 {
			others = "Additional Commands:"
		}
		parts = append(parts, subcommands(command, cobra.Group{Title: others}, width))
	}
	if command.HasAvailableLocalFlags() {
		parts = append(parts, "Flags:\n"+command.LocalFlags().FlagUsagesWrapped(width))
	}
	if command.HasAvailableSubCommands() {
		parts = append(parts, table.Indented(fmt.Sprintf("Use \"%s [command] --help\" for more information about a command.", command.CommandPath()), 0, width))
	}
	_, _ = io.WriteString(command.OutOrStdout(), strings.Join(parts, "\n")) // an output keeps the error
}

// prose returns paragraphs wrapped to a width; one that is indented, such as a command to copy, stays as it is.
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

// usage returns the forms of the command line of a command.
func usage(command *cobra.Command, width int) string {
	text := "Usage:\n"
	if command.Runnable() {
		text += table.Indented(command.UseLine(), 2, width)
	}
	if command.HasAvailableSubCommands() {
		text += table.Indented(command.CommandPath()+" [command]", 2, width)
	}
	return text
}

// examples returns command lines of a shell within a width. A line that is continued ends in a backslash, so that
// it can be copied.
func examples(lines string, width int) string {
	var out strings.Builder
	for line := range strings.Lines(lines) {
		wrapped := strings.TrimRight(table.Indented(strings.TrimSpace(line), 0, width-len("      \\")), "\n")
		out.WriteString("  " + strings.ReplaceAll(wrapped, "\n", " \\\n    ") + "\n")
	}
	return out.String()
}

// subcommands returns the commands of a group and what they do.
func subcommands(command *cobra.Command, group cobra.Group, width int) string {
	var facts []table.Fact
	for _, c := range command.Commands() {
		if c.GroupID == group.ID && (c.IsAvailableCommand() || c.Name() == "help") {
			facts = append(facts, table.Fact{Name: fmt.Sprintf("%-*s", c.NamePadding(), c.Name()), Value: c.Short})
		}
	}
	out := new(strings.Builder)
	out.WriteString(group.Title + "\n")
	table.WriteFacts(out, facts, 2, width)
	return out.String()
}
