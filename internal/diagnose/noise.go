package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/internal/show/words"
)

// The limits above which a disturbance is reported. An idle machine stays below all of them.
const (
	maxInterrupted = 0.10 // of the turns
	maxSpeedChange = 0.05 // of the cost of an empty call
	maxSteal       = 0.01 // of the CPU time
	maxOther       = 0.05 // of the usable CPUs
	// maxSlew is twice the largest correction of the rate by the frequency alone.
	maxSlew = 2 * situation.MaxFrequencyPPM / 1e6
	// minSeconds is the min CPU time that counts: the kernel counts in ticks of 10 ms.
	minSeconds = 0.1
)

// noises are the kinds of disturbance, the worst for the figures first. A new kind is one entry.
var noises = []struct {
	kind    string
	observe func(*situation.Situation, result.Conditions) string // the observation; "" without such a disturbance
	// affects and advice return words that fit the measurement and the system. A disturbance that affects nothing that
	// was measured ("") is not a warning.
	affects, advice func(*situation.Situation) string
}{
	{"clocksource", func(_ *situation.Situation, c result.Conditions) string {
		return when(len(c.ClockSources) > 1,
			"the kernel's clock source changed during the run: "+strings.Join(c.ClockSources, ", then "))
	},
		always("all fine clocks: their figures mix two clock sources"),
		always("run again; if the kernel changed the clock source itself, its log shows why " +
			"(sudo dmesg | grep -i clocksource)")},
	{"backwards", func(s *situation.Situation, _ result.Conditions) string {
		var clocks []string
		for _, clock := range s.Clocks {
			if r := clock.Resolution; r != nil && r.Backwards > 0 {
				clocks = append(clocks, fmt.Sprintf("%s %s by up to %s", clock.ID,
					words.Plural(int(r.Backwards), "time"), words.Duration(r.WorstBackwardsNS)))
			}
		}
		return when(len(clocks) > 0, "a clock went backwards while it was watched: "+strings.Join(clocks, "; "))
	},
		always("the resolution of this clock, and every program that relies on its order"),
		always("a wall clock may have been set; do not trust a monotonic clock or a counter that does this")},
	{"step", func(_ *situation.Situation, c result.Conditions) string {
		return when(c.WallStepNS != 0, "the wall clock was set or stepped by "+words.SignedDuration(float64(c.WallStepNS)))
	},
		timed("the resolution of the wall clocks; costs are measured with the monotonic clock and are not affected"),
		always("run again when the time service has settled")},
	{"slewed", func(s *situation.Situation, _ result.Conditions) string {
		sync := s.Host.TimeSync
		if sync == nil || math.Abs(monotonicRate(*sync)) < maxSlew {
			return ""
		}
		share, direction := monotonicRate(*sync), "fast"
		if share < 0 {
			share, direction = -share, "slow"
		}
		return fmt.Sprintf("the kernel makes the monotonic clock run %s %s (adjtimex: tick %s, frequency %s ppm)",
			words.Percent(share), direction, tickLength(*sync), words.SignedPPM(sync.FrequencyPPM))
	},
		always("all times and rates, by this share: they are measured with the monotonic clock"),
		always("run again when the time service has settled; if there is none, reset the rate " +
			"(adjtimex --tick 10000 --frequency 0)")},
	{"realtime", func(s *situation.Situation, _ result.Conditions) string {
		return when(s.Host.CPU.SchedulingPolicy != "",
			"timebench runs under the real-time policy "+s.Host.CPU.SchedulingPolicy)
	},
		func(s *situation.Situation) string {
			return phrases(throughput(s, "throughput with more threads than CPUs, which then take turns of 1 ms"),
				loaded(s, "the load, which gets only the CPU time that the measurement leaves"),
				"everything else that runs on this machine")
		},
		always("run without chrt, unless your programs read the clocks under this policy in production")},
	{"quota", func(_ *situation.Situation, c result.Conditions) string {
		return when(c.ThrottledPeriods > 0, "the CPU quota stopped the process: "+throttled(c))
	},
		func(s *situation.Situation) string {
			included := ": the figures include the time that the process was stopped"
			return cmp.Or(throughput(s, "throughput with more threads than the quota allows"+included),
				timed("the confidence intervals"+included)(s), sleepsOf(s))
		},
		func(s *situation.Situation) string {
			return phrases("raise the quota", throughput(s, "or measure with fewer threads (--threads 1)"))
		}},
	{"incomplete", incomplete,
		always("the confidence intervals"),
		func(s *situation.Situation) string {
			return words.Either(s.Tool.Command == "doctor",
				"run doctor without --fast, and when the machine is less busy",
				"run again with more time (--limit 5m), or with fewer threads or clocks")
		}},
	{"starved", starved,
		always("the figures of throughput with a ?. Do not trust them: their threads did not read at the same time"),
		always("stop other programs, also on the host of a virtual machine, or measure with fewer threads (--threads)")},
	{"steal", func(s *situation.Situation, c result.Conditions) string {
		seconds := c.StealShare * float64(s.Host.CPU.Usable) * time.Duration(c.DurationNS).Seconds()
		return when(c.StealShare > maxSteal && seconds >= minSeconds,
			fmt.Sprintf("the hypervisor gave %s of the CPU time to others (steal)", words.Percent(c.StealShare)))
	},
		func(s *situation.Situation) string {
			return phrases(throughput(s, "throughput above all"),
				cmp.Or(timed("the width of the confidence intervals")(s), sleepsOf(s)))
		},
		always("run again at a quieter time, or on a machine with dedicated CPUs")},
	{"load", func(s *situation.Situation, c result.Conditions) string {
		elapsed := time.Duration(c.DurationNS).Seconds()
		return when(c.OtherCPUs > maxOther*float64(s.Host.CPU.Usable) && c.OtherCPUs*elapsed >= minSeconds,
			fmt.Sprintf("other programs used %.2f of %s during the run", c.OtherCPUs, words.Plural(s.Host.CPU.Usable, "CPU")))
	},
		func(s *situation.Situation) string {
			return phrases(throughput(s, "throughput and fairness with as many threads as CPUs"),
				cmp.Or(timed("the width of the confidence intervals")(s), sleepsOf(s)))
		},
		linuxOr("stop the other programs, or keep to CPUs that they do not use (taskset)",
			"stop the other programs, or keep to CPUs that they do not use")},
	{"preempted", func(_ *situation.Situation, c result.Conditions) string {
		share := float64(c.InterruptedTurns) / float64(max(c.Turns, 1))
		return when(share > maxInterrupted,
			fmt.Sprintf("other programs disturbed %s of the latency samples", words.Percent(share)))
	},
		always("the confidence intervals; the medians less, because each turn is a median of slices"),
		always("stop other programs, or take more rounds (timebench compare --rounds 200)")},
	{"speed", func(_ *situation.Situation, c result.Conditions) string {
		return when(speedChanged(c), "the CPU speed changed: "+emptyCall(c))
	},
		always("all figures: a slower CPU reads every clock more slowly"),
		linuxOr("keep the frequency high (sudo cpupower frequency-set -g performance, until the next boot); a "+
			"program on the other hyper-thread of the core has the same effect",
			"select the highest performance in the power settings of the system; a program on the other "+
				"hyper-thread of the core has the same effect")},
}

func always(text string) func(*situation.Situation) string {
	return func(*situation.Situation) string { return text }
}

// timed returns the text for documents with costs, and "" for others. The results of verify, skew and drift are proven
// by the order of reads, or have a bound that contains the time of other work; profile reports that work.
func timed(text string) func(*situation.Situation) string {
	return func(s *situation.Situation) string {
		return when(!compare.Of(s.Document).Empty() || runtimes.Of(s.Document) != nil, text)
	}
}

// sleepsOf returns what a busy CPU does to sleeps, if they were measured.
func sleepsOf(s *situation.Situation) string {
	return when(wake.Of(s.Document) != nil, "p99 and the maximum of the lateness, and often its medians")
}

func linuxOr(linux, other string) func(*situation.Situation) string {
	return func(s *situation.Situation) string {
		return words.Either(s.OnLinux(), linux, other)
	}
}

// when returns the text if the condition holds, and "" otherwise.
func when(holds bool, text string) string {
	if holds {
		return text
	}
	return ""
}

func phrases(texts ...string) string { return strings.Join(words.Present(texts...), "; ") }

// throughput returns the text if the run measured throughput, and "" otherwise.
func throughput(s *situation.Situation, text string) string {
	measured := slices.ContainsFunc(s.Clocks, func(c compare.Clock) bool { return len(c.Throughput) > 0 })
	if section := runtimes.Of(s.Document); section != nil {
		for _, r := range section.Runtimes {
			measured = measured || slices.ContainsFunc(r.Calls,
				func(c runtimes.MeasuredCall) bool { return len(c.Throughput) > 0 })
		}
	}
	return when(measured, text)
}

// loaded returns the text if the run kept the CPUs busy itself, and "" otherwise.
func loaded(s *situation.Situation, text string) string {
	v, d := verify.Of(s.Document), drift.Of(s.Document)
	return when(v != nil && v.Load || d != nil && d.LoadedFromNS > 0, text)
}

// Noise returns the disturbances of the document's run; nil for a quiet machine. Without conditions in the document it
// uses only the facts of the host.
func Noise(d *result.Document) []result.Warning { return noise(situation.Of(d)) }

func noise(s *situation.Situation) []result.Warning {
	var conditions result.Conditions
	if s.Conditions != nil {
		conditions = *s.Conditions
	}
	var warnings []result.Warning
	for _, n := range noises {
		if saw, affected := n.observe(s, conditions), n.affects(s); saw != "" && affected != "" {
			warnings = append(warnings, result.Warning{Kind: n.kind, Saw: saw, Spoilt: affected, Advice: n.advice(s)})
		}
	}
	return warnings
}

// starved names the smallest number of threads with a disturbed figure: a thread usually had no CPU.
func starved(s *situation.Situation, c result.Conditions) string {
	for _, p := range c.Passes {
		disturbed := func(t compare.Throughput) bool { return t.Threads == p.Threads && t.Disturbed }
		isDisturbed := func(c compare.Clock) bool { return slices.ContainsFunc(c.Throughput, disturbed) }
		if p.Starved > 0 && slices.ContainsFunc(s.Clocks, isDisturbed) {
			return fmt.Sprintf("in %d of %s of throughput with %s, a thread had no CPU for most of the time, "+
				"although there is a CPU for each",
				p.Starved, words.Plural(p.Complete, "sample"), words.Plural(p.Threads, "thread"))
		}
	}
	return ""
}

func incomplete(_ *situation.Situation, c result.Conditions) string {
	var short, reasons []string
	var threads, missing []int
	planned, complete := 0, 0
	for _, p := range c.Passes {
		switch {
		case p.Complete >= p.Planned:
			continue
		case p.Complete == 0:
			missing = append(missing, p.Threads)
		default:
			planned, complete, threads = planned+p.Planned, complete+p.Complete, append(threads, p.Threads)
		}
		reasons = append(reasons, p.Reasons...)
	}
	if len(missing) > 0 {
		short = append(short, "no throughput with "+threadNumbers(missing))
	}
	if planned > 0 {
		short = append(short, fmt.Sprintf("%d of %s of throughput with %s", complete,
			words.Plural(planned, "sample"), threadNumbers(threads)))
	}
	if c.CompleteRounds > 0 {
		short = append(short, "only "+words.Plural(c.CompleteRounds, "round")+" of latency")
	}
	if len(short) == 0 {
		return ""
	}
	text := "the run has " + words.List(short)
	slices.Sort(reasons)
	if reasons = slices.Compact(reasons); len(reasons) > 0 {
		text += ": " + reasons[0]
	}
	if more := len(reasons) - 1; more > 0 {
		text += ", and " + words.Plural(more, "other reason")
	}
	return text
}

func threadNumbers(numbers []int) string {
	return words.Either(slices.Equal(numbers, []int{1}), "1 thread", words.Numbers(numbers)+" threads")
}

func throttled(c result.Conditions) string {
	return fmt.Sprintf("throttled in %s, %s of CPU time withheld",
		words.Plural(int(c.ThrottledPeriods), "period"), words.Duration(float64(c.ThrottledNS)))
}

func speedChanged(c result.Conditions) bool {
	return c.FloorLowNS > 0 && c.FloorHighNS/c.FloorLowNS-1 > maxSpeedChange
}

func emptyCall(c result.Conditions) string {
	return "the cost of an empty call varied " + words.Between(c.FloorLowNS, c.FloorHighNS)
}
