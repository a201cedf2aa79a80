package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/clocksource"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/measure"
	"github.com/timebench/timebench/internal/result"
	"golang.org/x/term"
)

// settling is how long the kernel is left alone after a switch: its timekeeping takes
// the new clock source over within a tick, and a time service may have something to say.
const settling = 200 * time.Millisecond

// otherSources are the clock sources that --clocksources asks for besides the one in
// use, in the kernel's order; nil where it asks for none. It refuses before anything
// is measured. Where an earlier experiment left the clock source switched, it restores
// that first, and facts tell of it.
func (flags compareFlags) otherSources(in *os.File, out io.Writer, facts *result.Host) ([]string, error) {
	if flags.sources == "" {
		return nil, nil
	}
	folder := clocksource.Sysfs
	available, err := folder.Available()
	if err != nil {
		return nil, couldNot(fmt.Errorf("--clocksources: %w", err))
	}
	if facts.ClockSource == nil {
		return nil, couldNot(errors.New("--clocksources: the clock source in use cannot be read"))
	}
	asked := available
	if flags.sources != "all" {
		asked = strings.Split(flags.sources, ",")
		for _, name := range asked {
			if !slices.Contains(available, name) {
				return nil, fmt.Errorf("--clocksources: %q is not available; write all, or of %s", name, strings.Join(available, ","))
			}
		}
	}
	if facts.UnrestoredClockSource != nil && folder.Writable() == nil {
		if err := restoreEarlier(folder, in, out, flags.yes, facts); err != nil {
			return nil, err
		}
	}
	current := facts.ClockSource.Current
	var others []string
	for _, name := range available {
		if slices.Contains(asked, name) && name != current {
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return nil, fmt.Errorf("--clocksources: there is nothing to switch to: %s is in use, and available are %s", current, strings.Join(available, ", "))
	}
	if err := folder.Writable(); err != nil {
		return nil, couldNot(fmt.Errorf("--clocksources: %w", err))
	}
	return others, nil
}

// restoreEarlier restores the clock source that an earlier experiment left switched, where
// --yes or the answer agrees. Who does not agree keeps the one in use.
func restoreEarlier(folder clocksource.Folder, in *os.File, out io.Writer, yes bool, facts *result.Host) error {
	left := folder.Abandoned()
	if left == nil {
		return nil
	}
	what := fmt.Sprintf("an earlier experiment was killed and left the clock source switched to %s; it was %s", facts.ClockSource.Current, left.Original)
	if !yes && !term.IsTerminal(int(in.Fd())) {
		return fmt.Errorf("--clocksources: %s, and there is no terminal to ask: add --yes to restore it and to agree to another", what)
	}
	if yes {
		_, _ = fmt.Fprintf(out, "Restoring %s: %s.\n", left.Original, what)
	} else if !agrees(in, out, fmt.Sprintf("Before anything else: %s.\nRestore %s? [y/N] ", what, left.Original)) {
		return nil
	}
	if err := folder.Recover(left); err != nil {
		return couldNot(fmt.Errorf("--clocksources: %w", err))
	}
	facts.ClockSource.Current, facts.UnrestoredClockSource = left.Original, nil
	return nil
}

// consent tells what will be done to the running system, and asks, unless --yes says so
// already.
func consent(in *os.File, out io.Writer, yes bool, current string, others []string) error {
	if !yes && !term.IsTerminal(int(in.Fd())) {
		return fmt.Errorf("--clocksources switches the clock source of the running system to %s and back, which may slow it and let its time jump, and there is no terminal to ask: add --yes to agree",
			strings.Join(others, ", then "))
	}
	_, _ = fmt.Fprintf(out, `This changes the running system: its clock source will be %[1]s, then %[2]s again.
Meanwhile every program that asks for the time may be slower, a time service may see
a jump, and with a faulty clock source time may stand still or jump. A second process
restores %[2]s when this one ends, however it ends. One thing may last until the machine
boots again: while all CPUs read a slow clock source such as hpet or acpi_pm, the
kernel's watchdog may take tsc for unstable and withdraw it. Then the kernel has to
choose another. What lets it choose, now or later: echo | sudo tee %[3]s
`, strings.Join(others, ", then "), current, clocksource.Sysfs+"/current_clocksource")
	if yes {
		return nil
	}
	if !agrees(in, out, "Go on? [y/N] ") {
		return couldNot(errors.New("nothing was changed"))
	}
	return nil
}

// agrees asks, and reports whether the answer is yes.
func agrees(in io.Reader, out io.Writer, question string) bool {
	_, _ = fmt.Fprint(out, question)
	answer, _ := bufio.NewReader(in).ReadString('\n')
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer)))
}

// hold starts the guardian, which is this program.
func hold() (*clocksource.Switch, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return clocksource.Hold(clocksource.Sysfs, exec.Command(program, clocksource.GuardianCommand))
}

// experiment measures under each of the clock sources, and restores the original. It
// returns what is complete also where it ends early or fails.
func experiment(ctx context.Context, sw *clocksource.Switch, others []string, run func(context.Context, string) (measure.Result, error)) ([]result.Experiment, bool, error) {
	// Whatever happens below, a panic too, this comes first.
	defer func() { _ = sw.Restore() }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-sw.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	var done []result.Experiment
	for _, name := range others {
		if ctx.Err() != nil {
			break
		}
		if err := sw.To(name); err != nil {
			return done, false, errors.Join(err, sw.Restore())
		}
		select {
		case <-time.After(settling):
		case <-ctx.Done():
		}
		measured, err := run(ctx, name)
		if err != nil {
			return done, false, errors.Join(err, sw.Restore())
		}
		done = append(done, result.Experiment{
			ClockSource: name, FloorNS: measured.FloorNS, Conditions: &measured.Conditions, Clocks: measured.Clocks,
		})
	}
	interrupted := ctx.Err() != nil
	return done, interrupted, errors.Join(sw.Err(), sw.Restore())
}

// addNoise adds to each experiment what may have spoilt it.
func addNoise(d *result.Document) {
	for i, e := range d.OtherClockSources {
		d.OtherClockSources[i].Warnings = diagnose.Noise(&result.Document{Host: d.Host, Conditions: e.Conditions, Clocks: e.Clocks})
	}
}
