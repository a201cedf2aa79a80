package remedy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

// coarseCalls are the calls of language runtimes that read CLOCK_MONOTONIC_COARSE. The runtimes have their names in
// `timebench runtimes`.
var coarseCalls = []struct {
	runtimes []string
	call     string
}{
	{[]string{"c", "musl", "c++"}, "clock_gettime(CLOCK_MONOTONIC_COARSE, …)"},
	{[]string{"rust"}, "clock_gettime(CLOCK_MONOTONIC_COARSE, …) of the crate libc"},
	// The module time has no name for this id, which is in linux/time.h.
	{[]string{"python3"}, "time.clock_gettime(6), which is CLOCK_MONOTONIC_COARSE"},
	{[]string{"dotnet"}, "Environment.TickCount64"},
	{[]string{"netframework"}, "Environment.TickCount on Windows"},
	{[]string{"pwsh", "powershell"}, "[Environment]::TickCount"},
	{[]string{"ruby"}, "Process.clock_gettime(Process::CLOCK_MONOTONIC_COARSE)"},
	{[]string{"perl"}, "Time::HiRes::clock_gettime(CLOCK_MONOTONIC_COARSE)"},
}

// noCoarseCall are the runtimes without a call of a coarse clock that is finer than a second. Go lacks one too, but
// PATH does not show that a machine runs programs in Go.
var noCoarseCall = []string{"java", "node", "bun", "deno", "php", "lua", "luajit"}

func languageRemedies(s *machine) []result.Remedy {
	var calls []string
	here := func(runtimes []string) []string {
		missing := func(name string) bool { return !slices.Contains(s.Host.Runtimes, name) }
		return slices.DeleteFunc(slices.Clone(runtimes), missing)
	}
	for _, of := range coarseCalls {
		if names := here(of.runtimes); len(names) > 0 {
			calls = append(calls, strings.Join(names, ", ")+": "+of.call)
		}
	}
	var remedies []result.Remedy
	if len(calls) > 0 {
		remedies = append(remedies, result.Remedy{
			Advice: "Call a coarse clock in the languages of this machine: " + strings.Join(calls, "; "),
			Risk:   "The value is from the last tick, some milliseconds ago.",
		})
	}
	if without := here(noCoarseCall); len(without) > 0 {
		remedies = append(remedies, result.Remedy{
			Advice: fmt.Sprintf("In %s there is no coarse clock, as in Go: read the time once and use it several times, "+
				"or let one thread store it every millisecond", words.List(without)),
			Risk: "The stored value is older than a read would be.",
		})
	}
	return remedies
}

// Coarse suggests the coarse clocks, with their cost and tick on this machine, and the calls of the languages that read
// them.
func Coarse(s *machine) []result.Remedy {
	if len(s.Ticking()) > 0 {
		return nil // the fine clocks are no finer
	}
	var offers []string
	for _, id := range situation.Coarse {
		c := s.Timed(id)
		if c == nil || c.KernelEntry != result.Never {
			continue
		}
		tick := "tick unknown"
		if c.Resolution != nil && c.Resolution.TickNS > 0 {
			tick = "tick " + words.Duration(c.Resolution.TickNS)
		}
		name, read := strings.TrimSuffix(id, "@vdso"), words.Duration(c.Latency.MedianNS)
		offers = append(offers, fmt.Sprintf("%s (%s/read, %s)", name, read, tick))
	}
	if len(offers) == 0 {
		return nil
	}
	return append([]result.Remedy{{
		Advice: "If a coarse resolution is enough for your program, read a coarse clock: " + strings.Join(offers, ", "),
		Risk:   "Two events within one tick get the same time. Intervals shorter than several ticks cannot be measured.",
	}}, languageRemedies(s)...)
}
