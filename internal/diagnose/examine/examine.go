// Package examine measures what a diagnosis of this machine needs, and makes the documents of measurements.
package examine

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/counter"
	"github.com/timebench/timebench/internal/measurement/measure"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/internal/show/words"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// The measurement of doctor: enough for a diagnosis in less than two seconds on a quiet machine.
const (
	rounds    = 12
	roundTime = 10 * time.Millisecond
	// slowest is the time limit of the measurement on a busy or slow machine, on which the rest takes a second or two.
	slowest = 8 * time.Second
	// busyAfter is the time to compare the CPUs and verify the clocks after which a machine counts as busy, without
	// time for many clocks.
	busyAfter = 2 * time.Second
	// The measurement of doctor --fast, and its time limit on a slow machine.
	fastRounds  = 6
	fastTime    = time.Millisecond
	fastSlowest = 600 * time.Millisecond
	// asleepTime is how long the rate of the TSC is measured while this process sleeps.
	asleepTime = 50 * time.Millisecond
	// skewTime is the max time to compare the CPUs. Two CPUs take milliseconds if their threads get them.
	skewTime = 2 * time.Second
	// verifyTime is the time to verify the clocks: a machine with a warp shows many at once. verifySlowest is for a
	// busy machine, on which the threads had too little time.
	verifyTime, verifySlowest = 300 * time.Millisecond, 2 * time.Second
	// profileRate is twice the rate of profile: the time is short, and a program on a busy machine gets little of it.
	profileRate = 997
)

// Estimate returns about how long [Run] takes on a quiet machine.
func Estimate(fast bool) time.Duration {
	return words.Either(fast, fastSlowest/2, 1500*time.Millisecond+wakeTime)
}

// Run measures what a diagnosis needs, and returns the complete parts when ctx ends. fast is whether it measures only
// what takes less than a second. progress may be nil.
//
// Faults are more important than the cost of reads: the CPUs are compared and the clocks verified first. Programs are
// sampled all the time. The sampling interrupts each CPU 997 times a second, so it hits a tenth of the slices of a
// median.
func Run(ctx context.Context, tool result.Tool, fast bool,
	progress func(done, total time.Duration)) (*result.Document, error) {
	begun, usual, limit, last := time.Now(), Estimate(fast), slowest, wakeTime
	tool.Command = "doctor" // warnings are for it
	facts := host.Facts()
	settings := measure.Settings{
		Threads: OneAndAll(host.UsableCPUs(facts)), Rounds: rounds, Time: roundTime, CPU: facts.CPU,
	}
	if fast {
		settings.Threads, settings.Rounds, settings.Time, settings.WithoutResolution = []int{1}, fastRounds, fastTime, true
		limit, last = fastSlowest, 0
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	clocks, frequency := Clocks(settings, false), counter.Begin()
	var found []result.Section
	programs := &sampling{}
	if !fast {
		programs = sample(ctx, clocks)
		found = trust(limited, &facts)
	}
	spent := time.Since(begun)
	debuglog.Printf("doctor", "clocks are measured after %s", spent)
	busy := spent > busyAfter
	if busy {
		clocks = Clocks(settings, true)
	}
	tell := func(done, total time.Duration) {
		if progress != nil {
			progress(spent+done, max(usual, spent+total+last))
		}
	}
	tell(0, settings.Estimate(clocks))
	measured, err := measure.Run(limited, clocks, settings, tell)
	programs.end(measured.Clocks)
	ofCounter := frequency.End()
	if err != nil {
		return nil, err
	}
	measured.Interrupted = ctx.Err() != nil
	facts = AfterChange(facts, measured)
	facts.CPU.TSCLoadedHz = TSCHz(measured.Clocks)
	document := Measured(tool, facts, measured, result.Settings{
		Threads: settings.Threads, Rounds: settings.Rounds, TimeNS: int64(settings.Time), Pin: "none", Workers: "threads",
	})
	for _, s := range found {
		document.Put(s)
	}
	if !fast {
		spent, last = time.Since(begun), 0
		if w := wakeUps(ctx, facts.CPU, tell); w != nil {
			document.Put(w)
		}
		document.Interrupted = ctx.Err() != nil
	}
	addVerdict(document, document, ofCounter)
	document.NotChecked = programs.into(document)
	if busy {
		document.NotChecked = append(document.NotChecked, result.NotChecked{What: "what the other clocks cost", Why: whyBusy})
	}
	document.NotChecked = diagnose.NotChecked(document, whyMissing(fast, document.Interrupted))
	return document, nil
}

const whyBusy = "the time limit ended the run: the machine is busy or slow, or has many CPUs"

// whyMissing returns why a run has no answer to a question, in the absence of a better reason.
func whyMissing(fast, interrupted bool) string {
	switch {
	case interrupted:
		return "the run was interrupted"
	case fast:
		return "the flag --fast leaves this out"
	default:
		return whyBusy
	}
}

// trust returns how far the CPUs' views of the clocks differ and whether the clocks can be trusted, and adds the rate
// of the TSC asleep to the facts.
func trust(ctx context.Context, facts *result.Host) []result.Section {
	begun := time.Now()
	if c := timeStampCounter(); c != nil && ctx.Err() == nil {
		facts.CPU.TSCAsleepHz = math.Round(observe.Hz(*c, asleepTime))
	}
	all, cpus := clock.Catalog(), thread.Usable()
	var found []result.Section
	if len(cpus) > 1 {
		compared := skew.Run(ctx, skew.DefaultClocks(), skew.Settings{Time: skewTime, Brief: true, CPUs: cpus}, nil)
		found = append(found, &compared)
	}
	clocks := slices.DeleteFunc(slices.Clone(all), func(c clock.Clock) bool {
		return !slices.Contains(verified, c.ID) || clock.Readable(c) != nil
	})
	debuglog.Printf("doctor", "the CPUs were compared after %s", time.Since(begun))
	settings := verify.Settings{Time: verifyTime, CPUs: cpus, All: all, CounterIsTrusted: verify.CounterIsTrusted(*facts)}
	verification := verify.Run(ctx, clocks, settings, nil)
	// A fault that was found stays: it may not show again.
	if verification.Held() && verification.Missing() != "" && ctx.Err() == nil {
		settings.Time = verifySlowest
		verification = verify.Run(ctx, clocks, settings, nil)
	}
	return append(found, &verification)
}

// verified are the clocks that most programs read, and the counter behind them.
var verified = append(slices.Clone(clock.PlainCounters), "CLOCK_MONOTONIC@vdso", "CLOCK_REALTIME@vdso",
	"QueryPerformanceCounter@winapi")

// A sampling samples the programs that read clocks, beside a measurement of this process.
type sampling struct {
	over    chan struct{} // closed when the measurement ends
	ended   chan struct{} // closed when the sampling has ended
	entries []compare.Clock
	costs   []compare.Clock // set before over is closed
	found   profile.Profile
	err     error
}

// sample begins to sample all programs.
func sample(ctx context.Context, clocks []clock.Clock) *sampling {
	s := &sampling{over: make(chan struct{}), ended: make(chan struct{})}
	for i, verdict := range clock.KernelEntries(clocks) {
		s.entries = append(s.entries, compare.Clock{ID: clocks[i].ID, KernelEntry: verdict.Enters})
	}
	known := func(context.Context) ([]compare.Clock, error) {
		select {
		case <-s.over:
			return s.costs, nil
		default:
			return s.entries, nil
		}
	}
	go func() {
		defer close(s.ended)
		settings := profile.Settings{Time: slowest, RateHz: profileRate, Beside: s.over}
		s.found, s.err = profile.Run(ctx, settings, known, func(time.Duration, time.Duration) {})
	}()
	return s
}

// end ends the sampling, if it began.
func (s *sampling) end(measured []compare.Clock) {
	if s.over != nil {
		s.costs = measured
		close(s.over)
		<-s.ended
	}
}

// into adds the programs that spend much of their CPU time on reading clocks to the document, or returns why they are
// unknown. It leaves out all other programs, because people publish these documents.
func (s *sampling) into(document *result.Document) []result.NotChecked {
	switch {
	case s.over == nil:
		return nil
	case s.err != nil:
		return []result.NotChecked{{What: diagnose.WhoReads, Why: s.err.Error()}}
	}
	s.found.Processes = slices.DeleteFunc(s.found.Processes, func(p profile.Process) bool {
		return p.ClockShareLow < diagnose.NamedShare || p.ClockShare == nil
	})
	for i := range s.found.Processes {
		p := &s.found.Processes[i]
		p.Cgroup, p.Threads, p.Callers = "", nil, nil
	}
	document.Put(&s.found)
	return nil
}

// calls are the calls that doctor measures besides the counter of the CPU, the most important first: a system may have
// more clocks than doctor has time for.
var calls = []string{
	"CLOCK_MONOTONIC", "CLOCK_REALTIME", "gettimeofday", "CLOCK_MONOTONIC_COARSE",
	"CLOCK_REALTIME_COARSE", "CLOCK_MONOTONIC_RAW", "CLOCK_BOOTTIME", "CLOCK_TAI", "time.Now", "hpet",
	"QueryPerformanceCounter", "NtQueryPerformanceCounter", "GetSystemTimePreciseAsFileTime",
	"GetSystemTimeAsFileTime", "SystemTime",
}

// Clocks returns the clocks of calls, which Run measures. There are few on a busy machine, and under a quota that one
// thread uses up: each clock takes several periods of the quota.
func Clocks(s measure.Settings, busy bool) []clock.Clock {
	const few = 4
	calls := calls
	if busy || s.CPU.Quota > 0 && s.CPU.Quota < 1 {
		calls = calls[:few]
	}
	asSyscall := []string{"CLOCK_MONOTONIC", "NtQueryPerformanceCounter"}
	var chosen []clock.Clock
	for _, c := range clock.Catalog() {
		call, path, _ := strings.Cut(c.ID, "@")
		if slices.Contains(clock.PlainCounters, c.ID) || slices.Contains(calls, call) &&
			(path != string(clock.Syscall) || slices.Contains(asSyscall, call)) {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// OneAndAll returns the numbers of threads: one, and one for each CPU.
func OneAndAll(cpus int) []int { return slices.Compact([]int{1, cpus}) }

// wakeTime is how long doctor looks at wake-ups: enough sleeps for layers of 50 µs. It looks last: beside other work
// the CPUs do not idle, and a thread that keeps them awake shares the core with the measurement of the clocks.
const wakeTime = 500 * time.Millisecond

// wakeUps returns how late sleeps of 1 ms end, and why; nil if that was not measured. Its way of Linux has each layer
// but rounding, which is no fault of a machine; its way of Windows rounds to ticks. Other systems have no layers.
func wakeUps(ctx context.Context, cpu result.CPU, progress func(done, total time.Duration)) result.Section {
	ways, err := wake.Select([]string{"clock_nanosleep"})
	if err != nil {
		ways, err = wake.Select([]string{"Sleep@winapi"})
	}
	if err != nil || ctx.Err() != nil {
		return nil
	}
	settings := wake.Settings{Time: wakeTime, Spans: []time.Duration{time.Millisecond}, Quota: cpu.Quota > 0}
	w, err := wake.Run(ctx, ways, settings, progress)
	if err != nil {
		return nil
	}
	w.Timers.LargeSlacks = wake.LargeSlacks()
	return &w
}
