package cmd

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/chart"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/render"
)

// diffFlags are the flags of diff as they were typed.
type diffFlags struct {
	alpha     float64
	least     string
	failAbove string
	reportFlags
}

func diffCommand() *cobra.Command {
	var flags diffFlags
	command := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Show what changed between two results, beyond noise",
		Long: `Diff holds two saved results against each other, clock by clock and thread count
by thread count. It first shows what is not the same about the two machines and
settings, because that is usually the answer.

OLD and NEW are what compare --out left: a folder, its results.json, report.html,
or a zip; or the output of compare --format json.`,
		Example: `  timebench diff before/ after/
  timebench diff before.json after.json --fail-above 10% --out diff/`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("diff takes two results, the old one and the new one; it got %d", len(args))
			}
			return nil
		},
		RunE: func(command *cobra.Command, files []string) error {
			if err := notEmpty(command, "out", "least", "fail-above"); err != nil {
				return err
			}
			return compareFiles(command.OutOrStdout(), flags, files[0], files[1])
		},
	}
	f := command.Flags()
	f.Float64Var(&flags.alpha, "alpha", 0.05, "the chance of any verdict at all where nothing changed")
	f.StringVar(&flags.least, "least", "2%", "the least change that counts, as a `percentage`")
	f.StringVar(&flags.failAbove, "fail-above", "", "exit with status 1 if a clock got slower by more than this `percentage`, beyond noise, or cannot be compared")
	addReportFlags(command, &flags.reportFlags, render.DiffFormats, "diff.json, diff.md, diff.html and a chart")
	return command
}

func compareFiles(stdout io.Writer, flags diffFlags, oldFile, newFile string) error {
	format, err := chosenFormat(render.DiffFormats, flags.format)
	if err != nil {
		return err
	}
	settings, failAbove, err := flags.settings()
	if err != nil {
		return err
	}
	old, err := loadResult(oldFile)
	if err != nil {
		return err
	}
	new, err := loadResult(newFile)
	if err != nil {
		return err
	}
	target := newTarget(flags.out, difference)
	endAtSignal(target.giveUp)
	if err := target.open(); err != nil {
		return err
	}
	d := diff.Compare(diff.Read(oldFile, old), diff.Read(newFile, new), settings)
	if err := target.write(diffFiles(d)); err != nil {
		return couldNot(err)
	}
	if err := format.Write(stdout, d); err != nil {
		return couldNot(err)
	}
	if d.Comparisons == 0 && d.Compared() == 0 {
		return couldNot(errors.New("the two results have no figure in common, so nothing could be compared"))
	}
	if flags.failAbove == "" {
		return nil
	}
	return gate(d, failAbove, flags.failAbove)
}

// mostNamed is how many figures an error names.
const mostNamed = 5

// gate is the error with which --fail-above ends. A gate that could not look is shut.
func gate(d *diff.Diff, above float64, typed string) error {
	cannot := func(figures []string, why string) error {
		return couldNot(fmt.Errorf("%s cannot be compared, so --fail-above cannot tell: %s", firstFew(figures), why))
	}
	worse, unsteady, untold := d.SlowerThan(above), d.UnsteadyAbove(above), d.Untold()
	switch {
	case len(worse) > 0:
		return couldNot(fmt.Errorf("%s got slower by more than %s, beyond noise", firstFew(figures(worse)), typed))
	case len(d.OnlyOld) > 0:
		return cannot(d.OnlyOld, "the new result has no figures of them")
	case len(d.Lost) > 0:
		return cannot(d.Lost, "the new result does not have them")
	case len(unsteady) > 0:
		return cannot(figures(unsteady), "the runs changed while they lasted, or shared their CPUs; measure again on a quiet machine")
	case len(untold) > 0:
		return cannot(figures(untold), "too few samples for a verdict; measure with more rounds (--rounds)")
	case d.Comparisons == 0:
		return couldNot(errors.New("no figure of what reads cost is in both results, so --fail-above cannot tell"))
	}
	return nil
}

func figures(changes []diff.Change) []string {
	var names []string
	for _, c := range changes {
		names = append(names, c.Figure())
	}
	return names
}

func firstFew(names []string) string {
	text := strings.Join(names[:min(mostNamed, len(names))], ", ")
	if more := len(names) - mostNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// settings checks the flags.
func (flags diffFlags) settings() (s diff.Settings, failAbove float64, err error) {
	if !(flags.alpha > 0 && flags.alpha < 1) {
		return s, 0, fmt.Errorf("--alpha %v: write a number between 0 and 1, such as 0.05", flags.alpha)
	}
	least, err := percentage("least", flags.least)
	if err != nil {
		return s, 0, err
	}
	failAbove = math.Inf(1)
	if flags.failAbove != "" {
		if failAbove, err = percentage("fail-above", flags.failAbove); err != nil {
			return s, 0, err
		}
		least = min(least, failAbove)
	}
	return diff.Settings{Alpha: flags.alpha, Least: least}, failAbove, nil
}

// percentage reads 10% as 0.1.
func percentage(flag, text string) (float64, error) {
	number, ok := strings.CutSuffix(text, "%")
	value, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !ok || err != nil || !(value >= 0) || math.IsInf(value, 0) {
		return 0, fmt.Errorf("--%s %q is not a percentage from 0 up; write it like 2.5%%", flag, text)
	}
	return value / 100, nil
}

// diffFiles are what --out holds of a diff.
func diffFiles(d *diff.Diff) []file {
	files, pictures := drawn(chart.DiffCharts, d)
	return append(files,
		file{"diff.md", func(w io.Writer) error { return render.DiffMarkdown(w, d, pictures) }},
		file{"diff.html", func(w io.Writer) error { return render.DiffHTML(w, d) }},
		file{"diff.json", func(w io.Writer) error { return render.DiffJSON(w, d) }})
}
