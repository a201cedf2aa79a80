package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/clocksource"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/measure"
	"golang.org/x/term"
)

// otherSources returns the clock sources of --clocksources except the machine's own, in the kernel's order; nil without
// the flag. It asks the user first, and restores the clock source that an earlier experiment left switched.
func (flags compareFlags) otherSources(folder clocksource.Folder, in *os.File, out io.Writer,
	facts *result.Host) ([]string, error) {
	if flags.sources == "" {
		return nil, nil
	}
	available, err := folder.Available()
	if err != nil {
		return nil, couldNot(fmt.Errorf("--clocksources: %w", err))
	}
	if facts.ClockSource == nil {
		return nil, couldNot(errors.New("--clocksources: the current clock source cannot be read"))
	}
	asked := available
	if flags.sources != "all" {
		asked = strings.Split(flags.sources, ",")
		for _, name := range asked {
			if !slices.Contains(available, name) {
				return nil, fmt.Errorf("--clocksources: %q is not available; write all, or a list of %s", name,
					strings.Join(available, ","))
			}
		}
	}
	own, left := facts.ClockSource.Current, folder.Abandoned()
	if left != nil {
		own = left.Original
	}
	others := slices.DeleteFunc(slices.Clone(available),
		func(name string) bool { return name == own || !slices.Contains(asked, name) })
	switch {
	case len(others) == 0 && left != nil:
		return nil, fmt.Errorf(
			"--clocksources: there is nothing to switch to: an experiment that was killed left %s, and "+
				"%s is the machine's own; write all, which restores that first, or a list of %s",
			facts.ClockSource.Current, own, strings.Join(available, ","))
	case len(others) == 0:
		return nil, fmt.Errorf("--clocksources: there is nothing to switch to: %s is in use; available: %s", own,
			strings.Join(available, ", "))
	}
	if err := folder.Writable(); err != nil {
		return nil, couldNot(fmt.Errorf("--clocksources: %w", err))
	}
	if err := consent(in, out, flags.yes, facts.ClockSource.Current, own, others); err != nil {
		return nil, err
	}
	if left != nil {
		if err := folder.Recover(left); err != nil {
			return nil, couldNot(fmt.Errorf("--clocksources: %w", err))
		}
		facts.ClockSource.Current, facts.UnrestoredClockSource = own, nil
	}
	return others, nil
}

// consent prints how the running system will change, and asks unless --yes is given. own is the clock source that the
// machine returns to; current is in use now.
func consent(in *os.File, out io.Writer, yes bool, current, own string, others []string) error {
	if !yes && !term.IsTerminal(int(in.Fd())) {
		return fmt.Errorf(
			"--clocksources switches the clock source of the running system to %s and back, which may slow it down "+
				"and make time jump, and there is no terminal to ask on; add --yes to agree",
			strings.Join(others, ", then "))
	}
	if current != own {
		_, _ = fmt.Fprintf(out,
			"An earlier experiment was killed and left the clock source switched to %s. First, %s is restored.\n", current, own)
	}
	_, _ = fmt.Fprintf(out, `This changes the running system: its clock source will be %[1]s, then %[2]s again.
Meanwhile every program that reads the time may be slower, and a time service may see a
jump. With a faulty clock source, time may stand still or jump. A second process
restores %[2]s when this one ends, also if it is killed. One effect may last until the
next boot: while all CPUs read a slow clock source such as hpet or acpi_pm, the kernel's
watchdog may mark tsc as unstable and withdraw it. The kernel then chooses another one.
To let the kernel choose, now or later: echo | sudo tee %[3]s
`, strings.Join(others, ", then "), own, clocksource.Sysfs+"/current_clocksource")
	if yes {
		return nil
	}
	_, _ = fmt.Fprint(out, "Continue? [y/N] ")
	answer, _ := bufio.NewReader(in).ReadString('\n')
	if !slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer))) {
		return couldNot(errors.New("nothing was changed"))
	}
	return nil
}

// experiment measures with each of the clock sources. It also returns the complete measurements if it is interrupted or
// fails.
func experiment(ctx context.Context, sw *clocksource.Switch, others []string,
	run func(context.Context, string) (measure.Result, error)) ([]compare.Experiment, bool, error) {
	var done []compare.Experiment
	interrupted, err := sw.Each(ctx, others, func(ctx context.Context, name string) error {
		measured, err := run(ctx, name)
		if err == nil {
			done = append(done, compare.Experiment{
				ClockSource: name, FloorNS: measured.FloorNS, Conditions: &measured.Conditions, Clocks: measured.Clocks,
			})
		}
		return err
	})
	return done, interrupted, err
}

func addNoise(d *result.Document) {
	for i, e := range compare.Of(d).OtherClockSources {
		compare.Into(d).OtherClockSources[i].Warnings = diagnose.Warnings(&result.Document{
			Host: d.Host, Conditions: e.Conditions, Sections: []result.Section{&compare.Costs{Clocks: e.Clocks}},
		})
	}
}
