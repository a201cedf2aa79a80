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

// here returns the runtimes of a machine that are among others.
func here(s *machine, runtimes []string) []string {
	missing := func(name string) bool { return !slices.Contains(s.Host.Runtimes, name) }
	return slices.DeleteFunc(slices.Clone(runtimes), missing)
}

// languagesWithCalls returns the languages of a machine with their calls of a coarse clock; "" without one.
func languagesWithCalls(s *machine) string {
	var calls []string
	for _, of := range coarseCalls {
		if names := here(s, of.runtimes); len(names) > 0 {
			calls = append(calls, strings.Join(names, ", ")+": "+of.call)
		}
	}
	return strings.Join(calls, "; ")
}

// languagesWithout returns the languages of a machine that have no call of a coarse clock; "" without one.
func languagesWithout(s *machine) string { return words.List(here(s, noCoarseCall)) }

// coarseClocks returns the coarse clocks of a machine that do not enter the kernel, with their cost and tick; ""
// without one, or if something else than the clock source makes the fine clocks as coarse.
func coarseClocks(s *machine) string {
	if len(s.Ticking()) > 0 && !slices.Contains(situation.TickSources, s.ClockSource) {
		return ""
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
	return strings.Join(offers, ", ")
}
