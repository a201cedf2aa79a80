// Package examine measures what a diagnosis of this machine needs, in less than three seconds, and makes the documents of
// measurements.
package examine

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/measure"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// What doctor measures: enough for a diagnosis in less than three seconds.
const (
	rounds    = 12
	roundTime = 10 * time.Millisecond
	// fullTimeout ends the measurement on a slow machine. The rate of the TSC is then not
	// measured, and nothing is verified.
	fullTimeout = 2400 * time.Millisecond
	// What doctor --fast measures, and when it ends on a slow machine.
	fastRounds  = 6
	fastTime    = time.Millisecond
	fastTimeout = 600 * time.Millisecond
	// tscRateTime is how long the rate of the TSC is measured idle, and again under load.
	tscRateTime = 150 * time.Millisecond
	// verifyTime is how long the clocks are verified. A machine with a warp shows many at once.
	verifyTime = 300 * time.Millisecond
	// profileTime is how long programs are sampled, and namedShare the part of its CPU time that a program must
	// spend on reading clocks to be named.
	profileTime = 500 * time.Millisecond
	namedShare  = 0.02
)

// Run measures what a diagnosis needs, and returns what is complete when ctx ends. fast is whether it
// measures only what can be told in less than a second.
func Run(ctx context.Context, tool result.Tool, fast bool) (*result.Document, error) {
	facts := host.Facts()
	settings := measure.Settings{
		Threads: OneAndAll(host.UsableCPUs(facts)), Rounds: rounds, Time: roundTime,
		CPUs: facts.CPU.Usable, Quota: facts.CPU.Quota, QuotaPeriod: time.Duration(facts.CPU.QuotaPeriodNS),
	}
	timeout := fullTimeout
	if fast {
		settings.Threads, settings.Rounds, settings.Time, settings.WithoutResolution = []int{1}, fastRounds, fastTime, true
		timeout = fastTimeout
	}
	// A timeout leaves enough for a diagnosis: the first rounds measure latency alone.
	inTime, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	measured, err := measure.Run(inTime, Clocks(settings), settings, nil)
	if err != nil {
		return nil, err
	}
	measured.Interrupted = ctx.Err() != nil
	longer := !fast && inTime.Err() == nil
	if longer {
		AddRates(&facts.CPU)
	}
	facts = AfterChange(facts, measured)
	document := Measured(tool, facts, measured, result.Settings{
		Threads: settings.Threads, Rounds: settings.Rounds, TimeNS: int64(settings.Time), Pin: "none", Workers: "threads",
	})
	if longer {
		addVerification(ctx, document)
		addProfile(ctx, document)
		document.Interrupted = ctx.Err() != nil
	} else {
		debuglog.Printf("doctor", "the clocks were not verified, or not all measured: fast is %t, time is over: %v", fast, inTime.Err())
	}
	return document, nil
}

// verified are the clocks that most programs read, and the counter behind them.
var verified = append(slices.Clone(clock.PlainCounters), "CLOCK_MONOTONIC@vdso", "CLOCK_REALTIME@vdso", "QueryPerformanceCounter@winapi")

func addVerification(ctx context.Context, document *result.Document) {
	all := clock.Catalog()
	clocks := slices.DeleteFunc(slices.Clone(all), func(c clock.Clock) bool { return !slices.Contains(verified, c.ID) })
	verification := verify.Run(ctx, clocks, verify.Settings{
		Time: verifyTime, CPUs: thread.Usable(), All: all, CounterIsTrusted: verify.CounterIsTrusted(document.Host),
	}, nil)
	document.Put(&verification)
}

// addProfile adds the programs that spend much of their CPU time on reading clocks to the document, where this
// process may see them. It names no others: people publish these documents.
func addProfile(ctx context.Context, document *result.Document) {
	settings := profile.Settings{Time: profileTime, RateHz: profile.DefaultRate, Whole: true}
	compared := compare.Of(document)
	known := func(context.Context) ([]compare.Clock, error) { return compared.Clocks, nil }
	profiled, err := profile.Run(ctx, settings, known, func(time.Duration, time.Duration) {})
	if err != nil {
		debuglog.Printf("doctor", "who reads clocks is not known: %v", err)
		return
	}
	profiled.Processes = slices.DeleteFunc(profiled.Processes, func(p profile.Process) bool {
		return p.ClockShareLow < namedShare || p.ClockShare == nil || p.PID == os.Getpid()
	})
	for i := range profiled.Processes {
		p := &profiled.Processes[i]
		p.Cgroup, p.Threads, p.Callers = "", nil, nil
	}
	document.Put(&profiled)
}

// calls are the calls that doctor measures, the most important first: a system may have more
// clocks than doctor has time for.
var calls = []string{
	"CLOCK_MONOTONIC", "CLOCK_REALTIME", "gettimeofday", "CLOCK_MONOTONIC_COARSE", "RDTSC",
	"CLOCK_REALTIME_COARSE", "CLOCK_MONOTONIC_RAW", "CLOCK_BOOTTIME", "CLOCK_TAI", "time.Now", "hpet",
	"QueryPerformanceCounter", "NtQueryPerformanceCounter", "GetSystemTimePreciseAsFileTime", "GetSystemTimeAsFileTime", "SystemTime",
}

// Clocks returns the clocks that Run measures, those of calls. Under a quota that one thread uses up, each
// clock takes several of its periods, so there are few.
func Clocks(s measure.Settings) []clock.Clock {
	const few = 5
	calls := calls
	if s.Quota > 0 && s.Quota < 1 {
		calls = calls[:few]
	}
	asSyscall := []string{"CLOCK_MONOTONIC", "NtQueryPerformanceCounter"}
	var chosen []clock.Clock
	for _, c := range clock.Catalog() {
		call, path, _ := strings.Cut(c.ID, "@")
		if slices.Contains(calls, call) && (path != string(clock.Syscall) || slices.Contains(asSyscall, call)) {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// OneAndAll returns the numbers of threads: one, and one for each CPU.
func OneAndAll(cpus int) []int { return slices.Compact([]int{1, cpus}) }
