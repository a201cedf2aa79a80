package cmd

import (
	"fmt"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/measurement/measure"
)

// singleReadTime is how long --distribution times single reads of each clock: long enough for
// thousands of reads above the 99.9th percentile of a fast clock.
const singleReadTime = 200 * time.Millisecond

type comparePlan struct {
	facts    result.Host
	clocks   []clock.Clock
	settings measure.Settings
	flags    compareFlags
	// recorded are the settings as the document has them.
	recorded result.Settings
	// otherSources are the kernel's clock sources to measure with, after the current one.
	otherSources []string
}

// planComparison returns what the flags and the selectors ask for on the machine with these facts, without other clock
// sources. An error names the wrong flag.
func planComparison(flags compareFlags, selectors []string, facts result.Host) (comparePlan, error) {
	settings, err := flags.settings(facts)
	if err != nil {
		return comparePlan{}, err
	}
	clocks, err := chosen(flags.all, selectors, clock.Default())
	if err != nil {
		return comparePlan{}, err
	}
	if settings.Rounds == 0 {
		settings.Rounds = settings.DefaultRounds(len(clocks))
	}
	if settings.Time == 0 {
		fitting := settings
		if flags.threads != "" {
			// The user who writes a long list accepts a long run.
			fitting.Threads = fitting.Threads[:1]
		}
		settings.Time = fitting.DefaultTime(len(clocks))
	}
	if flags.threads == "" && flags.rounds == 0 && flags.time == 0 && flags.limit == 0 {
		// A run that the user did not describe adapts to a busy machine.
		settings.Limit = 2 * settings.Estimate(clocks)
	}
	recorded := result.Settings{
		Threads: settings.Threads, ThreadsChosen: flags.threads != "", Rounds: settings.Rounds,
		TimeNS: int64(settings.Time), Distribution: flags.single,
		TimerResolutionNS: int64(flags.timer), Pin: flags.pin, Workers: flags.workers,
	}
	return comparePlan{facts: facts, clocks: clocks, settings: settings, flags: flags, recorded: recorded}, nil
}

// settings returns the settings of the flags. Rounds and Time are 0 if the flags leave them
// to timebench.
func (flags compareFlags) settings(facts result.Host) (measure.Settings, error) {
	s := measure.Settings{Rounds: flags.rounds, Time: flags.time}
	if flags.single {
		s.Distribution = singleReadTime
	}
	var err error
	if s.Pin, err = pinOrder(flags.pin); err != nil {
		return s, err
	}
	// --pin may name CPUs beyond those that the process gets by itself.
	facts.CPU.Usable = max(facts.CPU.Usable, len(s.Pin))
	s.CPU = facts.CPU
	cpus := host.UsableCPUs(facts)
	if len(s.Pin) > 0 {
		cpus = min(cpus, len(s.Pin))
	}
	if s.Threads, err = flags.threadNumbers(cpus); err != nil {
		return s, err
	}
	switch flags.workers {
	case "threads":
	case "processes":
		s.Processes = true
	default:
		return s, fmt.Errorf("--workers %q: write threads or processes", flags.workers)
	}
	return s, nil
}

// threadNumbers returns the numbers of threads of --threads, or the defaults for this number of CPUs.
func (flags compareFlags) threadNumbers(cpus int) ([]int, error) {
	if flags.threads == "" {
		return measure.DefaultThreads(cpus), nil
	}
	numbers, err := measure.ParseThreads(flags.threads)
	if err != nil {
		return nil, fmt.Errorf("--threads: %w", err)
	}
	return numbers, nil
}
