package cmd

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/system/terminal"
)

// showHelp writes the help of a command as wide as the output; cobra's help has lines of any width.
func showHelp(command *cobra.Command, _ []string) {
	width := terminal.Width(command.OutOrStdout())
	parts := []string{prose(cmp.Or(command.Long, command.Short), width), usage(command, width)}
	if command.HasExample() {
		parts = append(parts, "Examples:\n"+command.Example+"\n")
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
	parts = append(parts, flagGroups(command, width)...)
	if command.HasAvailableSubCommands() {
		parts = append(parts,
			table.Indented(fmt.Sprintf("`%s COMMAND --help` explains a command.", command.CommandPath()), 0, width))
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

// The flags of two groups of a help; all other flags are about how to measure.
var (
	whatFlags = []string{"threads", "all", "cpus", "runtime", "ref", "pin", "workers", "clocksources", "fast", "load",
		"by-thread"}
	outputFlags = []string{"format", "out", "quiet", "verbose", "label", "fail-on", "fail-above", "fail-above-ns",
		"listen", "textfile", "version", "help"}
)

// flagGroups returns the flags of a command by group, in the order in which the command adds them. A single group has
// the title Flags.
func flagGroups(command *cobra.Command, width int) []string {
	command.Flags().SortFlags = false
	groups := []struct {
		title string
		flags *pflag.FlagSet
	}{{"What to measure", new(pflag.FlagSet)}, {"How", new(pflag.FlagSet)}, {"Output", new(pflag.FlagSet)}}
	command.LocalFlags().VisitAll(func(f *pflag.Flag) {
		group := 1
		if slices.Contains(whatFlags, f.Name) {
			group = 0
		} else if slices.Contains(outputFlags, f.Name) {
			group = 2
		}
		groups[group].flags.SortFlags = false
		groups[group].flags.AddFlag(f)
	})
	var texts []string
	for _, g := range groups {
		if g.flags.HasAvailableFlags() {
			texts = append(texts, g.title+":\n"+g.flags.FlagUsagesWrapped(width))
		}
	}
	if len(texts) == 1 {
		_, usages, _ := strings.Cut(texts[0], "\n")
		texts[0] = "Flags:\n" + usages
	}
	return texts
}

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
