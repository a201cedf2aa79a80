package diagnose

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/show/texts"
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

//go:embed warnings.txt
var warningsFile string

// warningTexts are the texts of the warnings, the worst for the figures first.
var warningTexts = sync.OnceValue(func() []texts.Entry { return texts.Entries(warningsFile) })

// observations return what a run shows of each kind of warning; "" if it shows none.
var observations = map[string]func(*situation.Situation, result.Conditions) string{
	"clocksource": func(_ *situation.Situation, c result.Conditions) string {
		return when(len(c.ClockSources) > 1,
			"the kernel's clock source changed during the run: "+strings.Join(c.ClockSources, ", then "))
	},
	"backwards": func(s *situation.Situation, _ result.Conditions) string {
		var clocks []string
		for _, clock := range s.Clocks {
			if r := clock.Resolution; r != nil && r.Backwards > 0 {
				clocks = append(clocks, fmt.Sprintf("%s %s by up to %s", clock.ID,
					words.Plural(int(r.Backwards), "time"), words.Duration(r.WorstBackwardsNS)))
			}
		}
		return when(len(clocks) > 0, "a clock went backwards while it was watched: "+strings.Join(clocks, "; "))
	},
	"step": func(_ *situation.Situation, c result.Conditions) string {
		return when(c.WallStepNS != 0, "the wall clock was set or stepped by "+words.SignedDuration(float64(c.WallStepNS)))
	},
	"slewed": func(s *situation.Situation, _ result.Conditions) string {
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
	"realtime": func(s *situation.Situation, _ result.Conditions) string {
		policy := s.Host.CPU.SchedulingPolicy
		return when(policy != "", "timebench runs under the real-time policy "+policy)
	},
	"quota": func(_ *situation.Situation, c result.Conditions) string {
		return when(c.ThrottledPeriods > 0, "the CPU quota stopped the process: "+throttled(c))
	},
	"incomplete": incomplete,
	"starved":    starved,
	"steal": func(s *situation.Situation, c result.Conditions) string {
		seconds := c.StealShare * float64(s.Host.CPU.Usable) * time.Duration(c.DurationNS).Seconds()
		return when(c.StealShare > maxSteal && seconds >= minSeconds,
			fmt.Sprintf("the hypervisor gave %s of the CPU time to others (steal)", words.Percent(c.StealShare)))
	},
	"load": func(s *situation.Situation, c result.Conditions) string {
		elapsed, another := time.Duration(c.DurationNS).Seconds(), ""
		if p := profile.Of(s.Document); p != nil && slices.ContainsFunc(p.Processes, isTimebench) {
			another = " (also another timebench)"
		}
		return when(c.OtherCPUs > maxOther*float64(s.Host.CPU.Usable) && c.OtherCPUs*elapsed >= minSeconds,
			fmt.Sprintf("other programs%s used %.2f of %s during the run", another, c.OtherCPUs,
				words.Plural(s.Host.CPU.Usable, "CPU")))
	},
	"preempted": func(_ *situation.Situation, c result.Conditions) string {
		share := float64(c.InterruptedTurns) / float64(max(c.Turns, 1))
		return when(share > maxInterrupted,
			fmt.Sprintf("other programs disturbed %s of the latency samples", words.Percent(share)))
	},
	"speed": func(s *situation.Situation, c result.Conditions) string {
		governors := strings.Join(s.Host.CPU.Governors, ", ")
		return when(c.FloorLowNS > 0 && c.FloorHighNS/c.FloorLowNS-1 > maxSpeedChange, "the CPU speed changed: the cost of an "+
			"empty call varied "+words.Between(c.FloorLowNS, c.FloorHighNS)+when(governors != "", " (governor: "+governors+")"))
	},
}

// when returns the text if the condition holds, and "" otherwise.
func when(holds bool, text string) string { return words.Either(holds, text, "") }

// Warnings returns the disturbances of the document's run; nil for a quiet machine. Without conditions in the document
// it uses only the facts of the host.
func Warnings(d *result.Document) []result.Warning { return warnings(situation.Of(d)) }

func warnings(s *situation.Situation) []result.Warning {
	var conditions result.Conditions
	if s.Conditions != nil {
		conditions = *s.Conditions
	}
	var warnings []result.Warning
	for _, n := range warningTexts() {
		saw := observations[n.Name](s, conditions)
		if saw == "" {
			continue
		}
		fitting := remedy.Fitting(s, n)
		if affected := strings.Join(fitting.All("affects"), "; "); affected != "" {
			warnings = append(warnings, result.Warning{Kind: n.Name, Saw: saw, Spoilt: affected,
				Advice: strings.Join(fitting.All("advice"), "; ")})
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
