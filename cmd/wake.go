package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/internal/show/words"
)

const maxWakeTime = time.Hour

func wakeCommand() *cobra.Command {
	var flags *sectionFlags
	var spans string
	var load bool
	var repeat int
	command := &cobra.Command{
		Use:   "wake [WAY...]",
		Short: "Measure how late sleeps and timers end, and why",
		Long: `Wake measures how late each way to sleep wakes a program up after its deadline: the median,
percentiles and the maximum, with the parts that are due to the rounding of the call, to
timer slack and to leaving idle. It needs no privileges.

Without WAY it measures all ways of this system: ` + strings.Join(wake.IDs(), ", ") + `.
Ctrl-C ends it at any time, and wake reports what is complete.`,
		Example: `  timebench wake
  timebench wake nanosleep epoll_wait --spans 50us,1ms --duration 1m
  timebench wake --load --cpus 0-3 --out wake/`,
		RunE: func(command *cobra.Command, names []string) error {
			settings, err := flags.checkWake(spans, repeat)
			if err != nil {
				return err
			}
			ways, err := wake.Select(names)
			if err != nil {
				return err
			}
			if load {
				settings.Busy = len(thread.Usable())
			}
			measure := func(ctx context.Context, document *result.Document, progress func(done, total time.Duration)) error {
				settings.Quota = document.Host.CPU.Quota > 0
				var runs []*wake.Wake
				for i := range repeat {
					w, err := wake.Run(ctx, ways, settings, func(done, total time.Duration) {
						progress(time.Duration(i)*total+done, time.Duration(repeat)*total)
					})
					if err != nil {
						return err
					}
					if runs = append(runs, &w); ctx.Err() != nil {
						break
					}
				}
				document.Settings.Repeat = len(runs)
				document.Put(wake.Join(runs))
				return nil
			}
			document, err := flags.run(command, sectionRun{
				"Measuring " + words.Plural(len(ways), "way") + " to sleep", clock.Default(), []int{1},
				time.Duration(repeat) * flags.time, measure,
			})
			if err != nil {
				return err
			}
			return oneOf(wake.Of(document).Ways, "ways",
				func(w wake.SleepWay) (string, bool, string) { return w.ID, w.Available, w.Reason })
		},
	}
	flags = addSectionFlags(command, "duration", 15*time.Second, "how long to measure in all")
	command.Flags().StringVar(&spans, "spans", "100us,1ms,10ms", "`lengths` of the sleeps")
	command.Flags().StringVar(&flags.cpus, "cpus", "",
		"sleep on each of these `cpus`, such as 0,2,4-7, and name the worst (default one thread that is free to move)")
	command.Flags().BoolVar(&load, "load", false, "keep every CPU busy meanwhile (off by default)")
	command.Flags().IntVar(&repeat, "repeat", 1, "number of runs, which diff compares")
	command.ValidArgs = wake.IDs()
	return command
}

// checkWake returns the settings that the flags ask for. An error names the wrong flag.
func (flags *sectionFlags) checkWake(spans string, repeat int) (s wake.Settings, err error) {
	if flags.time < minTime || flags.time > maxWakeTime {
		return s, timeError("duration", flags.time, minTime, "1h")
	}
	if repeat < 1 || repeat > maxRepeat {
		return s, fmt.Errorf("--repeat %d: write a number from 1 to %d", repeat, maxRepeat)
	}
	s.Time = flags.time
	if s.CPUs, err = flags.onCPUs(nil); err != nil {
		return s, err
	}
	if s.Spans, err = wake.ParseSpans(spans); err != nil {
		return s, fmt.Errorf("--spans: %w", err)
	}
	return s, nil
}
