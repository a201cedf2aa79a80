package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/diagnose/examine"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/measure"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/show/words"
	"github.com/timebench/timebench/internal/system/folder"
)

// The cost of a read is measured within half a second: the user waits, and the load goes on.
const (
	costRounds = 8
	costTime   = 2 * time.Millisecond
)

func profileCommand() *cobra.Command {
	var flags *sectionFlags
	var rate int
	var threads bool
	command := &cobra.Command{
		Use:   "profile [PID|NAME...] [-- COMMAND [ARGUMENT...]]",
		Short: "Show which programs read clocks, and what CPU time that takes",
		Long: `Profile samples what runs, 499 times in each second of CPU time, and reports
for each program the share of its CPU time that goes into reading clocks: in the vDSO, in
the kernel that the vDSO enters, and in system calls of clocks. It estimates the number of
reads from what one read costs here.

Without an argument it profiles the whole machine, which needs root or CAP_PERFMON. PID is
a process, NAME the name of a program. The processes that they started, or start meanwhile,
are profiled too. COMMAND is started, and profiled to its end; its output goes to standard
error, and timebench exits with its status. An ordinary user can profile own processes
where kernel.perf_event_paranoid is 2 or below. Profile is for Linux.`,
		Example: `  sudo timebench profile
  timebench profile 4711 postgres
  timebench profile -- java -jar app.jar`,
		RunE: func(command *cobra.Command, args []string) error {
			settings, err := profileSettings(command, args)
			if err != nil {
				return err
			}
			if flags.time < profile.MinTime || flags.time > maxSectionTime {
				return timeError("duration", flags.time, profile.MinTime, "720h")
			}
			if rate < profile.MinRate || rate > profile.MaxRate {
				return fmt.Errorf("--rate %d: write a number from %d to %d", rate, profile.MinRate, profile.MaxRate)
			}
			settings.Time, settings.RateHz, settings.Output = flags.time, rate, os.Stderr
			settings.Threads = threads
			if _, err := chosenFormat(formatsOf(command), flags.reportFlags); err != nil {
				return err
			}
			if err := profile.Check(settings); err != nil {
				return couldNot(err)
			}
			// A bar moves the cursor up, over the output of the command, and cannot show how long the command takes.
			flags.noProgress = settings.Command != nil
			clocks := profile.Clocks(clock.Catalog())
			run := func(ctx context.Context, document *result.Document, progress func(done, total time.Duration)) error {
				facts := document.Host
				var took time.Duration // for the costs
				measured := func(ctx context.Context) ([]compare.Clock, error) {
					begun := time.Now()
					defer func() { took = time.Since(begun) }()
					costs, err := measure.Run(ctx, slices.Concat(clocks, clock.UserMode()),
						measure.Settings{Threads: examine.OneAndAll(host.UsableCPUs(facts)), Rounds: costRounds, Time: costTime,
							WithoutResolution: true, CPU: facts.CPU}, nil)
					return costs.Clocks, err
				}
				section, err := profile.Run(ctx, settings, measured, func(done, total time.Duration) {
					progress(took+done, took+total)
				})
				if err == nil {
					document.Put(&section)
				}
				return err
			}
			document, err := flags.run(command, sectionRun{"Profiling " + profiled(settings), clocks, []int{1}, 0, run})
			if err == nil {
				if status := profile.Of(document).StartedStatus; status != 0 {
					return &failure{status: status}
				}
			}
			return err
		},
	}
	command.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		err = flagError(command, err)
		if command.ArgsLenAtDash() < 0 && command.Flags().NArg() > 0 { // a flag of a command, probably
			return fmt.Errorf("%w; a command and its flags come after --", err)
		}
		return err
	})
	flags = addSectionFlags(command, "duration", profile.DefaultTime, "how long to sample")
	command.Flags().IntVar(&rate, "rate", profile.DefaultRate, "`number` of samples in each second of CPU time")
	command.Flags().BoolVar(&threads, "by-thread", false, "list the threads that read clocks too")
	return command
}

// profileSettings returns the processes or the command of the arguments.
func profileSettings(command *cobra.Command, args []string) (s profile.Settings, err error) {
	if dash := command.ArgsLenAtDash(); dash >= 0 {
		switch {
		case dash > 0:
			return s, fmt.Errorf("%q and a command after --: write one of them", args[0])
		case len(args) == 0:
			return s, errors.New("there is no command after --; write -- COMMAND [ARGUMENT...]")
		case command.Flags().Changed("duration"):
			return s, errors.New("--duration and a command: a command is profiled until it ends; omit it")
		}
		if _, err := exec.LookPath(args[0]); err != nil {
			return s, fmt.Errorf("the command cannot be started: %w", folder.SystemError(err))
		}
		s.Command = args
		return s, nil
	}
	for _, arg := range args {
		pid, err := strconv.Atoi(arg)
		if err != nil {
			pids := profile.NamedProcesses(arg)
			if len(pids) == 0 {
				return s, fmt.Errorf("%q: there is no process with this name; write a PID or the name of a running program; "+
					"a command comes after --", arg)
			}
			s.PIDs = append(s.PIDs, pids...)
			continue
		}
		switch process := profile.ProcessOf(pid); process {
		case 0:
			return s, fmt.Errorf("%q: there is no process with this number, or /proc hides it (hidepid)", arg)
		case pid:
		default:
			return s, fmt.Errorf("%q is a thread of process %d; write %d", arg, process, process)
		}
		s.PIDs = append(s.PIDs, pid)
	}
	return s, nil
}

func profiled(s profile.Settings) string {
	switch {
	case len(s.Command) > 0:
		return s.Command[0]
	case len(s.PIDs) > 0:
		return words.Plural(len(s.PIDs), "process")
	default:
		return "the whole machine"
	}
}
