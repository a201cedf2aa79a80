package diagnose

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/compare"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/words"
)

// The limits above which a disturbance is reported. An idle machine stays below all of them.
const (
	maxInterrupted = 0.10 // of the turns
	maxSpeedChange = 0.05 // of the cost of an empty call
	maxSteal       = 0.01 // of the CPU time
	maxOther       = 0.05 // of the usable CPUs
	// maxSlew is twice the largest correction of the rate by the frequency alone.
	maxSlew = 2 * maxFrequencyPPM / 1e6
	// minSeconds is the least CPU time that counts: the kernel counts in ticks of 10 ms.
	minSeconds = 0.1
)

// noises are the kinds of disturbance, the worst for the figures first. A new one is one
// entry.
var noises = []struct {
	kind string
	// observe returns what was seen; "" if there was no such disturbance.
	observe func(*result.Document, compare.Conditions) string
	affects string
	advice  string
}{
	{
		"clocksource", func(_ *result.Document, c compare.Conditions) string {
			if len(c.ClockSources) < 2 {
				return ""
			}
			return "the kernel's clock source changed during the run: " + strings.Join(c.ClockSources, ", then ")
		},
		"all fine clocks: their figures mix two clock sources",
		"run again; if the kernel changed the clock source itself, its log shows why (dmesg | grep -i clocksource)",
	},
	{
		"backwards", func(d *result.Document, _ compare.Conditions) string {
			var clocks []string
			for _, clock := range compare.Of(d).Clocks {
				if r := clock.Resolution; r != nil && r.Backwards > 0 {
					clocks = append(clocks, fmt.Sprintf("%s %s by up to %s", clock.ID, words.Plural(int(r.Backwards), "time"), words.Duration(r.WorstBackwardsNS)))
				}
			}
			if len(clocks) == 0 {
				return ""
			}
			return "a clock went backwards while it was watched: " + strings.Join(clocks, "; ")
		},
		"the resolution of this clock, and every program that relies on its order",
		"a wall clock may have been set; do not trust a monotonic clock or a counter that does this",
	},
	{
		"step", func(_ *result.Document, c compare.Conditions) string {
			if c.WallStepNS == 0 {
				return ""
			}
			return "the wall clock was set or stepped by " + words.SignedDuration(float64(c.WallStepNS))
		},
		"the resolution of the wall clocks; costs are measured with the monotonic clock and are not affected",
		"run again when the time service has settled",
	},
	{
		"slewed", func(d *result.Document, _ compare.Conditions) string {
			sync := d.Host.TimeSync
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
		"all times and rates, by this share: they are measured with the monotonic clock",
		"run again when the time service has settled; if there is none, reset the rate (adjtimex --tick 10000 --frequency 0)",
	},
	{
		"lost-cpu", func(_ *result.Document, c compare.Conditions) string {
			if len(c.LostCPUs) == 0 {
				return ""
			}
			return words.CPUs(c.LostCPUs) + " went away during the run, or had no time for it (offline, no longer allowed, or kept busy at a higher priority)"
		},
		"throughput with as many threads as CPUs: fewer samples, or threads that share the remaining CPUs",
		"run again while the set of CPUs does not change, and no program of a higher priority keeps them busy",
	},
	{
		"realtime", func(d *result.Document, _ compare.Conditions) string {
			if d.Host.CPU.SchedulingPolicy == "" {
				return ""
			}
			return "timebench runs under the real-time policy " + d.Host.CPU.SchedulingPolicy
		},
		"throughput with more threads than CPUs, which then take turns of 1 ms; and everything else that runs on this machine. " +
			"The load of verify --load and drift gets only the CPU time that the measurement leaves",
		"run without chrt, unless your programs read the clocks under this policy in production",
	},
	{
		"quota", func(_ *result.Document, c compare.Conditions) string {
			if c.ThrottledPeriods == 0 {
				return ""
			}
			return "the CPU quota stopped the process: " + throttled(c)
		},
		"throughput with more threads than the quota allows: the figures include the time that the process was stopped",
		"raise the quota, or measure with fewer threads (--threads 1)",
	},
	{
		"steal", func(d *result.Document, c compare.Conditions) string {
			seconds := c.StealShare * float64(d.Host.CPU.Usable) * time.Duration(c.DurationNS).Seconds()
			if c.StealShare <= maxSteal || seconds < minSeconds {
				return ""
			}
			return fmt.Sprintf("the hypervisor gave %s of the CPU time to others (steal)", words.Percent(c.StealShare))
		},
		"throughput above all, and the width of the confidence intervals",
		"run again at a quieter time, or on a machine with dedicated CPUs",
	},
	{
		"load", func(d *result.Document, c compare.Conditions) string {
			elapsed := time.Duration(c.DurationNS).Seconds()
			if c.OtherCPUs <= maxOther*float64(d.Host.CPU.Usable) || c.OtherCPUs*elapsed < minSeconds {
				return ""
			}
			return fmt.Sprintf("other programs used %.2f of %s during the run", c.OtherCPUs, words.Plural(d.Host.CPU.Usable, "CPU"))
		},
		"throughput and fairness with as many threads as CPUs, and the width of the confidence intervals",
		"stop the other programs, or keep to CPUs that they do not use (taskset, or --pin of compare)",
	},
	{
		"preempted", func(_ *result.Document, c compare.Conditions) string {
			if c.Turns == 0 || float64(c.InterruptedTurns)/float64(c.Turns) <= maxInterrupted {
				return ""
			}
			return fmt.Sprintf("in %d of %d turns of the latency measurement, other work had the CPU for more than a tenth of the time", c.InterruptedTurns, c.Turns)
		},
		"the confidence intervals; the medians less, because each turn is a median of slices",
		"stop other programs, or take more rounds (--rounds 200)",
	},
	{
		"speed", func(_ *result.Document, c compare.Conditions) string {
			if c.FloorLowNS == 0 || c.FloorHighNS/c.FloorLowNS-1 <= maxSpeedChange {
				return ""
			}
			return "the CPU speed changed: " + emptyCall(c)
		},
		"all figures: a slower CPU reads every clock more slowly",
		"fix the frequency (cpupower frequency-set -g performance); a program on the other hyper-thread of the core has the same effect",
	},
}

// Noise returns the disturbances of the document's run; none for a quiet machine. Without
// conditions in the document it uses only the facts of the host.
func Noise(d *result.Document) []result.Warning {
	var conditions compare.Conditions
	if compare.Of(d).Conditions != nil {
		conditions = *compare.Of(d).Conditions
	}
	var warnings []result.Warning
	for _, n := range noises {
		if saw := n.observe(d, conditions); saw != "" {
			advice := n.advice
			if other, differs := adviceElsewhere[n.kind]; differs && !onLinux(d) {
				advice = other
			}
			warnings = append(warnings, result.Warning{Kind: n.kind, Saw: saw, Spoilt: n.affects, Advice: advice})
		}
	}
	return warnings
}
