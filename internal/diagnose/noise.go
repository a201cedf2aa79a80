// Package diagnose turns a result document into findings: what was seen, what it
// means, and what to do about it. It measures nothing.
//
// Noise is what may have spoilt a run. A new kind of it is one entry in a table.
package diagnose

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/result"
)

// The bounds above which a disturbance is worth a word. A machine on which
// nothing else happens stays below all of them.
const (
	mostInterrupted = 0.10 // of the turns
	mostSpeedChange = 0.05 // of the cost of an empty call
	mostSteal       = 0.01 // of the CPUs' time
	mostOther       = 0.05 // of the usable CPUs
	// mostSlew is twice what the kernel's frequency alone can make of the clocks' rate.
	mostSlew = 2 * mostFrequencyPPM / 1e6
	// leastSeconds is the least CPU time that counts: the kernel's ticks are
	// hundredths of a second.
	leastSeconds = 0.1
)

// noises are the kinds of disturbance, the worst for the figures first. saw is ""
// where there was none.
var noises = []struct {
	kind   string
	saw    func(*result.Document, result.Conditions) string
	spoilt string
	advice string
}{
	{
		"clocksource", func(_ *result.Document, c result.Conditions) string {
			if len(c.ClockSources) < 2 {
				return ""
			}
			return "the kernel's clock source changed during the run: " + strings.Join(c.ClockSources, ", then ")
		},
		"every fine clock: its figures mix two clock sources",
		"run again; if the kernel demoted the clock source by itself, its log says why (dmesg | grep -i clocksource)",
	},
	{
		"backwards", func(d *result.Document, _ result.Conditions) string {
			var clocks []string
			for _, clock := range d.Clocks {
				if r := clock.Resolution; r != nil && r.Backwards > 0 {
					clocks = append(clocks, fmt.Sprintf("%s %d times by up to %.3g ns", clock.ID, r.Backwards, r.WorstBackwardsNS))
				}
			}
			if len(clocks) == 0 {
				return ""
			}
			return "a clock went backwards while it was watched: " + strings.Join(clocks, "; ")
		},
		"the resolution of that clock, and whatever relies on its order",
		"if it is a wall clock it may have been set; a monotonic clock or a counter that does this must not be trusted",
	},
	{
		"step", func(_ *result.Document, c result.Conditions) string {
			if c.WallStepNS == 0 {
				return ""
			}
			return fmt.Sprintf("the wall clock was set or stepped by %s", time.Duration(c.WallStepNS).Round(time.Microsecond))
		},
		"the resolution of the wall clocks; costs are timed by the monotonic clock and are not touched",
		"run again when the time service has settled",
	},
	{
		"slewed", func(d *result.Document, _ result.Conditions) string {
			sync := d.Host.TimeSync
			if sync == nil || math.Abs(monotonicRate(*sync)) < mostSlew {
				return ""
			}
			share, direction := monotonicRate(*sync), "fast"
			if share < 0 {
				share, direction = -share, "slow"
			}
			return fmt.Sprintf("the kernel makes the monotonic clock run %s %s (adjtimex: a tick of %s, a frequency of %+.3g parts in a million)",
				percent(share), direction, time.Duration(sync.TickNS), sync.FrequencyPPM)
		},
		"every time and rate, by that share: the monotonic clock times them all",
		"run again when the time service has settled; where none runs, set the usual rate back (adjtimex --tick 10000 --frequency 0)",
	},
	{
		"lost-cpu", func(_ *result.Document, c result.Conditions) string {
			if len(c.LostCPUs) == 0 {
				return ""
			}
			var numbers []string
			for _, cpu := range c.LostCPUs {
				numbers = append(numbers, strconv.Itoa(cpu))
			}
			return "CPUs went away during the run (offline, or no longer allowed): " + strings.Join(numbers, ", ")
		},
		"throughput with as many threads as CPUs: it has fewer samples, or shares the CPUs that are left",
		"run again when the CPUs stay",
	},
	{
		"realtime", func(d *result.Document, _ result.Conditions) string {
			if d.Host.CPU.SchedulingPolicy == "" {
				return ""
			}
			return "timebench runs under the real-time policy " + d.Host.CPU.SchedulingPolicy
		},
		"throughput with more threads than CPUs, which then take turns of a millisecond; and whatever else runs on this machine. " +
			"Load beside a measurement (verify --load, drift) has only the CPU time that the measurement leaves",
		"run without chrt, unless the clocks are read under that policy in production too",
	},
	{
		"quota", func(_ *result.Document, c result.Conditions) string {
			if c.ThrottledPeriods == 0 {
				return ""
			}
			return fmt.Sprintf("a CPU quota stopped the process in %s and withheld %s of CPU time",
				counted(c.ThrottledPeriods, "period"), time.Duration(c.ThrottledNS).Round(time.Millisecond))
		},
		"throughput with more threads than the quota has room for, where standing still is part of the figure",
		"raise the quota, or measure with fewer threads (--threads 1)",
	},
	{
		"steal", func(d *result.Document, c result.Conditions) string {
			seconds := c.StealShare * float64(d.Host.CPU.Usable) * time.Duration(c.DurationNS).Seconds()
			if c.StealShare <= mostSteal || seconds < leastSeconds {
				return ""
			}
			return fmt.Sprintf("the hypervisor gave %s of the CPUs' time to others (steal)", percent(c.StealShare))
		},
		"throughput above all; intervals are wider",
		"run again at a quieter time, or on a machine with CPUs of its own",
	},
	{
		"load", func(d *result.Document, c result.Conditions) string {
			spent := time.Duration(c.DurationNS).Seconds()
			if c.OtherCPUs <= mostOther*float64(d.Host.CPU.Usable) || c.OtherCPUs*spent < leastSeconds {
				return ""
			}
			return fmt.Sprintf("other programs used %.2f of %s while this ran", c.OtherCPUs, counted(int64(d.Host.CPU.Usable), "CPU"))
		},
		"throughput and fairness with as many threads as CPUs; intervals are wider",
		"stop the other programs, or pin to CPUs that they do not use (--pin)",
	},
	{
		"preempted", func(_ *result.Document, c result.Conditions) string {
			if c.Turns == 0 || float64(c.InterruptedTurns)/float64(c.Turns) <= mostInterrupted {
				return ""
			}
			return fmt.Sprintf("in %d of %d turns of latency the CPU was away for more than a tenth of the time", c.InterruptedTurns, c.Turns)
		},
		"the intervals; the medians less, since each turn is a median of slices",
		"stop other programs, or take more rounds (--rounds 200)",
	},
	{
		"speed", func(_ *result.Document, c result.Conditions) string {
			if c.FloorLowNS == 0 || c.FloorHighNS/c.FloorLowNS-1 <= mostSpeedChange {
				return ""
			}
			return fmt.Sprintf("the CPU changed its speed: an empty call took between %.3g and %.3g ns in half of the rounds", c.FloorLowNS, c.FloorHighNS)
		},
		"all figures alike: a slower CPU reads every clock more slowly",
		"fix the frequency (cpupower frequency-set -g performance), or expect it where another program uses the same core by hyper-threading",
	},
}

// Noise returns what may have spoilt the run of the document; a quiet machine
// gives nothing. Of a run without conditions it tells what the facts of the host do.
func Noise(d *result.Document) []result.Warning {
	var conditions result.Conditions
	if d.Conditions != nil {
		conditions = *d.Conditions
	}
	var warnings []result.Warning
	for _, n := range noises {
		if saw := n.saw(d, conditions); saw != "" {
			warnings = append(warnings, result.Warning{Kind: n.kind, Saw: saw, Spoilt: n.spoilt, Advice: n.advice})
		}
	}
	return warnings
}

func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func percent(share float64) string { return fmt.Sprintf("%.2g %%", share*100) }
