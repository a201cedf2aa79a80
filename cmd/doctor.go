package cmd

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/host"
	"github.com/timebench/timebench/internal/measure"
	"github.com/timebench/timebench/internal/render"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/thread"
	"github.com/timebench/timebench/internal/trace"
	"github.com/timebench/timebench/internal/verify"
)

// What doctor measures: enough for a verdict, in under three seconds.
const (
	doctorRounds = 12
	doctorTime   = 10 * time.Millisecond
	// doctorPatience is when a slow machine has been measured for long enough; its TSC's
	// rate is then not watched either.
	doctorPatience = 2400 * time.Millisecond
	// rateSpan is how long the TSC's rate is watched, asleep and under load.
	rateSpan = 150 * time.Millisecond
	// verifySpan is how long the clocks are verified: a warp that happens shows at once.
	verifySpan = 300 * time.Millisecond
)

// never is the value of --fail-on that no finding reaches.
const never = "never"

// doctorFlags are the flags of doctor as they were typed.
type doctorFlags struct {
	failOn      string
	failAboveNS float64
	format      string
}

func doctorCommand() *cobra.Command {
	var flags doctorFlags
	command := &cobra.Command{
		Use:   "doctor [FILE]",
		Short: "Say whether time is slow or wrong here, why, and what to do",
		Long: `Doctor measures for about two seconds, reads what the system says of its clocks,
and reports what is wrong: the evidence, the cause, what can be done and at what
risk. It changes nothing and needs no root; as root it can read the kernel's log
where that is forbidden to others.

With FILE, a result that compare left, it diagnoses the machine of that result.

Exit status: 0 where nothing is found, 1 where something is (--fail-on), 2 where the
command line or the file is wrong. As a health check:
timebench doctor --fail-on error --fail-above-ns 200`,
		Example: `  timebench doctor
  timebench doctor report.html
  timebench doctor --fail-above-ns 100 --format json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("doctor takes one result or none; it got %d", len(args))
			}
			return nil
		},
		RunE: func(command *cobra.Command, files []string) error {
			if command.Flags().Changed("fail-above-ns") && !(flags.failAboveNS > 0 && flags.failAboveNS <= math.MaxFloat64) {
				return fmt.Errorf("--fail-above-ns %g: write nanoseconds above 0, such as 100", flags.failAboveNS)
			}
			return doctor(command.OutOrStdout(), flags, files)
		},
	}
	f := command.Flags()
	f.StringVar(&flags.failOn, "fail-on", result.Warn, "exit with 1 from this severity on: error, warn, or never")
	f.Float64Var(&flags.failAboveNS, "fail-above-ns", 0, "find an error where an everyday clock costs more than so many ns a read, beyond noise, or none was timed")
	f.StringVar(&flags.format, "format", render.DoctorFormats[0].Name, strings.Join(render.Names(render.DoctorFormats), ", "))
	complete(command, "fail-on", result.Error, result.Warn, never)
	complete(command, "format", render.Names(render.DoctorFormats)...)
	return command
}

func doctor(stdout io.Writer, flags doctorFlags, files []string) error {
	format, err := chosenFormat(render.DoctorFormats, flags.format)
	if err != nil {
		return err
	}
	if !slices.Contains([]string{result.Error, result.Warn, never}, flags.failOn) {
		return fmt.Errorf("--fail-on %q is not known; write error, warn or never", flags.failOn)
	}
	ended := func() int { return 0 }
	var document *result.Document
	if len(files) == 1 {
		document, err = loadResult(files[0])
	} else {
		document, ended, err = examine()
	}
	if err != nil {
		return err
	}
	document.Findings = diagnose.Findings(document)
	if flags.failAboveNS > 0 {
		if dear := diagnose.Dear(document, flags.failAboveNS); dear != nil {
			document.Findings = diagnose.Sorted(append(document.Findings, *dear))
		}
	}
	if err := format.Write(stdout, document); err != nil {
		return couldNot(err)
	}
	if err := interruption(document, ended); err != nil {
		return err
	}
	if slices.ContainsFunc(document.Findings, func(f result.Finding) bool { return fails(f.Severity, flags.failOn) }) {
		return &failure{status: 1}
	}
	return nil
}

// fails reports whether a severity is that of --fail-on, or worse.
func fails(severity, failOn string) bool {
	limit := slices.Index(result.Severities, failOn)
	return limit >= 0 && slices.Index(result.Severities, severity) <= limit
}

// examine measures what a diagnosis needs. The returned function is untilSignal's.
func examine() (*result.Document, func() int, error) {
	facts := host.Facts()
	settings := measure.Settings{
		Threads: ends(host.UsableCPUs(facts)), Rounds: doctorRounds, Time: doctorTime,
		CPUs: facts.CPU.Usable, Quota: facts.CPU.Quota, QuotaPeriod: time.Duration(facts.CPU.QuotaPeriodNS),
	}
	ctx, ended := untilSignal()
	// What is complete by then is enough: the first rounds are of latency alone.
	inTime, cancel := context.WithTimeout(ctx, doctorPatience)
	defer cancel()
	measured, err := measure.Run(inTime, doctorClocks(settings), settings, nil)
	if err != nil {
		return nil, nil, couldNot(err)
	}
	measured.Interrupted = ctx.Err() != nil
	if inTime.Err() == nil {
		addRates(&facts.CPU)
	}
	facts = afterChange(facts, measured)
	document := measuredDocument(facts, measured, result.Settings{
		Threads: settings.Threads, Rounds: settings.Rounds, TimeNS: int64(settings.Time), Pin: "none", Workers: "threads",
	})
	if inTime.Err() == nil {
		addVerification(ctx, document)
		document.Interrupted = ctx.Err() != nil
	} else {
		trace.Printf("doctor", "no time was left to verify the clocks, or to measure all: %v", inTime.Err())
	}
	return document, ended, nil
}

// trusted are the clocks that doctor verifies: what most programs read, and the counter
// that it is made of.
var trusted = []string{"CLOCK_MONOTONIC@vdso", "CLOCK_REALTIME@vdso", "RDTSC@cpu", "CNTVCT_EL0@cpu", "QueryPerformanceCounter@winapi"}

// addVerification adds a short verification.
func addVerification(ctx context.Context, document *result.Document) {
	all := clock.Catalog()
	clocks := slices.DeleteFunc(slices.Clone(all), func(c clock.Clock) bool { return !slices.Contains(trusted, c.ID) })
	verification := verify.Run(ctx, clocks, verify.Settings{
		Time: verifySpan, CPUs: thread.Usable(), All: all, CounterIsTrusted: madeOfCounter(document.Host),
	}, nil)
	document.Put(&verification)
}

// doctorCalls are the calls by which doctor judges, the most telling first, where the
// system has more than it has time for.
var doctorCalls = []string{
	"CLOCK_MONOTONIC", "CLOCK_REALTIME", "gettimeofday", "CLOCK_MONOTONIC_COARSE", "RDTSC",
	"CLOCK_REALTIME_COARSE", "CLOCK_MONOTONIC_RAW", "CLOCK_BOOTTIME", "CLOCK_TAI", "time.Now", "hpet",
	"QueryPerformanceCounter", "GetSystemTimePreciseAsFileTime", "GetSystemTimeAsFileTime", "SystemTime",
}

// doctorClocks are the clocks of those calls. Under a quota that even one thread uses
// up, every clock takes some periods of it, so there are few.
func doctorClocks(s measure.Settings) []clock.Clock {
	const few = 5
	calls := doctorCalls
	if s.Quota > 0 && s.Quota < 1 {
		calls = calls[:few]
	}
	var chosen []clock.Clock
	for _, c := range clock.Catalog() {
		call, path, _ := strings.Cut(c.ID, "@")
		if slices.Contains(calls, call) && (path != string(clock.Syscall) || call == "CLOCK_MONOTONIC") {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// ends are one thread, and as many as there are CPUs for.
func ends(cpus int) []int { return slices.Compact([]int{1, cpus}) }

// addRates adds the rates of the time stamp counter, asleep and under load.
func addRates(cpu *result.CPU) {
	if c := timeStampCounter(); c != nil {
		asleep, loaded := measure.Rates(*c, rateSpan, cpu.Usable)
		cpu.TSCAsleepHz, cpu.TSCLoadedHz = wholeHz(asleep), wholeHz(loaded)
	}
}
