package cmd

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/report/files"
	"github.com/timebench/timebench/internal/report/render"
)

type diffFlags struct {
	minChange string
	failAbove string
	reportFlags
}

func diffCommand() *cobra.Command {
	var flags diffFlags
	command := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare two results: what changed beyond noise",
		Long: `Diff compares two saved results, clock by clock and thread count by thread count. It
first shows the differences between the machines and between the settings, because they
are usually the answer.

OLD and NEW are what --out wrote (a folder, its results.json, report.html, or a zip), or
the output of --format json; or several runs of one machine: of compare --repeat, in a
folder, or a glob in quotes. Runs of an unchanged machine differ more than the samples
of one run, so diff judges by runs where there are several.`,
		Example: `  timebench diff before/ after/
  timebench diff 'before-*.json' 'after-*.json'
  timebench diff before.json after.json --fail-above 10% --out diff/`,
		RunE: func(command *cobra.Command, files []string) error {
			if len(files) != 2 {
				return fmt.Errorf(
					"diff takes two results, the old one and the new one; it got %d; "+
						"write several runs as a folder, or as a glob in quotes",
					len(files))
			}
			return compareFiles(command.OutOrStdout(), command.ErrOrStderr(), flags, files[0], files[1])
		},
	}
	f := command.Flags()
	f.StringVar(&flags.minChange, "min-change", "2%", "smallest change that counts, as a `percentage`")
	f.StringVar(&flags.failAbove, "fail-above", "",
		"exit with status 1 if a clock is slower by more than this `percentage` beyond noise, and 3 if diff cannot decide")
	addReportFlags(command, &flags.reportFlags, render.DiffFormats, "diff.json, diff.md, diff.html and a chart")
	return command
}

func compareFiles(stdout, stderr io.Writer, flags diffFlags, oldFile, newFile string) error {
	to, err := newReport(stdout, stderr, flags.reportFlags, render.DiffFormats, files.OfDiff, "")
	if err != nil {
		return err
	}
	to.target = files.NewTarget(flags.out, files.Diffs)
	settings, failAbove, err := flags.settings()
	if err != nil {
		return err
	}
	old, err := loadSide(oldFile)
	if err != nil {
		return err
	}
	new, err := loadSide(newFile)
	if err != nil {
		return err
	}
	d := diff.Compare(old, new, settings)
	if err := reportLoaded(to, d); err != nil {
		return err
	}
	if all, _ := d.Count(); all == 0 {
		status := couldNot
		if flags.failAbove != "" {
			status = untold
		}
		return status(errors.New("the two results have no figure in common, so nothing could be compared"))
	}
	if flags.failAbove == "" {
		return nil
	}
	return gate(d.Costs(), failAbove, flags.failAbove)
}

// maxListed is how many figures an error lists.
const maxListed = 5

// gate returns the error of --fail-above: a figure is slower, or may be.
func gate(d *compare.Changes, above float64, typed string) error {
	slower, unjudged := d.Gate(above)
	if len(slower) > 0 {
		return couldNot(fmt.Errorf("%s got slower by more than %s, beyond noise", firstFew(slower), typed))
	}
	for _, of := range []struct {
		figures []string
		why     string
	}{
		{slices.Concat(d.OnlyOld, d.Lost), "the new result lacks them"},
		{unjudged[compare.Unsteady],
			"a run changed while it lasted, shared its CPUs, or ran at another speed; measure again on a quiet machine"},
		{unjudged[compare.Same],
			"the runs are too few, or contradict each other; measure five runs on a side"},
		{unjudged[compare.TooFew], "too few samples for a verdict; measure again (compare: with more --rounds)"},
	} {
		if len(of.figures) > 0 {
			return untold(fmt.Errorf("no figure is slower by more than %s, beyond noise, but %s cannot be judged: %s", typed,
				firstFew(of.figures), of.why))
		}
	}
	if d.Comparisons == 0 {
		return untold(errors.New("the results have no cost of a read in common, so --fail-above cannot decide"))
	}
	return nil
}

func untold(err error) error { return &failure{status: couldNotTell, err: err} }

func firstFew(names []string) string {
	text := strings.Join(names[:min(maxListed, len(names))], ", ")
	if more := len(names) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// settings returns the settings of the flags, and the share above which a slower clock fails. An error names the flag.
func (flags diffFlags) settings() (s section.Settings, failAbove float64, err error) {
	minChange, err := percentage("min-change", flags.minChange)
	if err != nil {
		return s, 0, err
	}
	failAbove = math.Inf(1)
	if flags.failAbove != "" {
		if failAbove, err = percentage("fail-above", flags.failAbove); err != nil {
			return s, 0, err
		}
		minChange = min(minChange, failAbove)
	}
	return section.Settings{MinChange: minChange}, failAbove, nil
}

// percentage returns the share of a percentage: 0.1 for 10%.
func percentage(flag, text string) (float64, error) {
	number, ok := strings.CutSuffix(text, "%")
	value, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	valid := err == nil && value >= 0 && !math.IsInf(value, 0)
	if valid && !ok {
		return 0, fmt.Errorf("--%s %q: the sign is missing; write %s%%", flag, text, strings.TrimSpace(number))
	}
	if !valid {
		return 0, fmt.Errorf("--%s %q: write a percentage from 0 up, such as 2.5%%", flag, text)
	}
	return value / 100, nil
}
