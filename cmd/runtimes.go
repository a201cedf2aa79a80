package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/measurement/measure"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/internal/show/words"
	"github.com/timebench/timebench/internal/system/folder"
)

const maxCallTime = time.Minute

func runtimesCommand() *cobra.Command {
	var flags *sectionFlags
	var given []string
	var threads, spans string
	var sleep bool
	command := &cobra.Command{
		Use:   "runtimes [RUNTIME...]",
		Short: "Measure the clock calls of language runtimes",
		Long: `Runtimes measures the calls that return the time in the language runtimes of this
machine, such as System.nanoTime of Java and time.time of Python: what a call costs, the
resolution of its values, which clock of the system it reads, whether it enters the
kernel, and what it would cost without the vDSO. With --sleep it measures how late their
sleeps end instead, and which system call waits.

Without RUNTIME and --runtime it measures all that are in PATH: ` + strings.Join(runtimes.Names(), ", ") + `.
Nothing is installed or changed. A runtime that fails is reported with the reason.`,
		Example: `  timebench runtimes
  timebench runtimes java python3
  timebench runtimes java --runtime java=/opt/jdk-25/bin/java
  timebench runtimes java c --threads 1..24 --out runtimes/
  timebench runtimes --sleep python3 node --spans 100us,1ms`,
		RunE: func(command *cobra.Command, names []string) error {
			selected, err := selectedRuntimes(names, given)
			if err != nil {
				return err
			}
			if err := unused(command, sleep); err != nil {
				return err
			}
			if flags.time < runtimes.ShortestTime || flags.time > maxCallTime {
				return timeError("call-time", flags.time, runtimes.ShortestTime, "1m")
			}
			clocks := systemClocks(clock.Catalog())
			settings := runtimes.Settings{
				Runtimes: selected, Clocks: clocks, Starts: runtimes.DefaultStarts, Time: flags.time,
				CPUs: host.UsableCPUs(host.Facts()),
			}
			if threads != "" {
				if settings.Threads, err = measure.ParseThreads(threads); err != nil {
					return fmt.Errorf("--threads: %w", err)
				}
			}
			if sleep {
				settings.Clocks, settings.Sleeps = nil, runtimes.DefaultSleeps
				if settings.Spans, err = wake.ParseSpans(spans); err != nil {
					return fmt.Errorf("--spans: %w", err)
				}
			}
			run := func(ctx context.Context, document *result.Document, progress func(done, total time.Duration)) error {
				section, err := runtimes.Run(ctx, settings, progress)
				document.Put(&section)
				return err
			}
			document, err := flags.run(command, sectionRun{
				"Measuring the runtimes", clocks, words.Either(threads == "", []int{1}, settings.Threads), 0, run})
			if err != nil {
				return err
			}
			return oneOf(runtimes.Of(document).Runtimes, "runtimes",
				func(r runtimes.MeasuredRuntime) (string, bool, string) { return r.Name, r.Available, r.Reason })
		},
	}
	flags = addSectionFlags(command, "call-time", 200*time.Millisecond, "total duration of the samples of one call")
	command.Flags().StringArrayVar(&given, "runtime", nil, "measure this program, as `NAME=PATH`; may be repeated")
	command.Flags().StringVarP(&threads, "threads", "t", "",
		"numbers of threads for throughput: `N..M`, or a list 1,2,4 ("+strings.Join(runtimes.WithThreads(), ", ")+")")
	command.Flags().BoolVar(&sleep, "sleep", false, "measure how late the sleeps of the runtimes end")
	command.Flags().StringVar(&spans, "spans", "100us,1ms", "`lengths` of the sleeps of --sleep")
	command.ValidArgs = runtimes.Names()
	return command
}

// selectedRuntimes returns the runtimes with these names and the runtimes of --runtime; without either, all runtimes.
func selectedRuntimes(names, given []string) ([]runtimes.Selected, error) {
	var selected []runtimes.Selected
	if len(names)+len(given) == 0 {
		names = runtimes.Names()
	}
	for i, name := range names {
		r, err := namedRuntime(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(names[:i], name) {
			selected = append(selected, runtimes.Selected{Runtime: r})
		}
	}
	for _, text := range given {
		name, path, _ := strings.Cut(text, "=")
		if path == "" {
			return nil, fmt.Errorf("--runtime %q: write NAME=PATH, such as java=/opt/jdk-25/bin/java", text)
		}
		r, err := namedRuntime(name)
		if err == nil && len(r.Programs) == 0 {
			err = fmt.Errorf("%s is timebench itself; build timebench with another Go to compare", name)
		}
		if err == nil {
			_, err = exec.LookPath(path)
		}
		if err != nil {
			return nil, fmt.Errorf("--runtime %q: %w", text, folder.SystemError(err))
		}
		selected = append(selected, runtimes.Selected{Runtime: r, Path: path})
	}
	return selected, nil
}

func namedRuntime(name string) (runtimes.Runtime, error) {
	r, ok := runtimes.Named(name)
	if !ok {
		if strings.ContainsRune(name, os.PathSeparator) {
			return r, fmt.Errorf("%q is not the name of a runtime; write --runtime NAME=%s", name, name)
		}
		if near := clock.Nearest(runtimes.Names(), name); len(near) > 0 {
			return r, fmt.Errorf("unknown runtime %q; nearest: %s", name, strings.Join(near, ", "))
		}
		return r, fmt.Errorf("unknown runtime %q; write one of %s", name, strings.Join(runtimes.Names(), ", "))
	}
	return r, nil
}

// systemClocks returns the clocks that runtimes read: clocks of the vDSO or of Windows, or else system calls, or else
// the default clocks.
func systemClocks(all []clock.Clock) []clock.Clock {
	calls := append(slices.Clone(clock.MostRead), "CLOCK_MONOTONIC_COARSE", "time", "CLOCK_PROCESS_CPUTIME_ID",
		"CLOCK_THREAD_CPUTIME_ID")
	for _, paths := range [][]clock.Path{{clock.VDSO, clock.WinAPI}, {clock.Syscall}} {
		available := slices.DeleteFunc(slices.Clone(all), func(c clock.Clock) bool {
			return !slices.Contains(paths, c.Path) || !slices.Contains(calls, callOf(c)) || clock.Readable(c) != nil
		})
		if len(available) > 0 {
			return available
		}
	}
	return clock.Default()
}

// unused returns the error of a flag that has no effect with --sleep, or without it.
func unused(command *cobra.Command, sleep bool) error {
	switch changed := command.Flags().Changed; {
	case sleep && changed("threads"):
		return errors.New("--threads has no effect with --sleep")
	case sleep && changed("call-time"):
		return errors.New("--call-time has no effect with --sleep")
	case !sleep && changed("spans"):
		return errors.New("--spans needs --sleep")
	}
	return nil
}

// oneOf returns nil if one of the subjects of a measurement is available, else an error with their reasons. state
// returns the name of a subject, whether it is available, and why not.
func oneOf[T any](all []T, kind string, state func(T) (name string, available bool, reason string)) error {
	var reasons []string
	for _, subject := range all {
		name, available, reason := state(subject)
		if available {
			return nil
		}
		reasons = append(reasons, fmt.Sprintf("%s (%s)", name, reason))
	}
	return couldNot(fmt.Errorf("none of the chosen %s could be measured: %s", kind, firstFew(reasons)))
}
