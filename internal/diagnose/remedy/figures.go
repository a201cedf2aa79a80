package remedy

import (
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/show/texts"
	"github.com/timebench/timebench/internal/show/words"
)

// figures are the figures of a machine by the words that stand for them in remedies.txt.
var figures = map[string]func(*machine) string{
	"{original}":         func(s *machine) string { return s.Host.UnrestoredClockSource.Original },
	"{source}":           func(s *machine) string { return s.ClockSource },
	"{best}":             (*machine).Best,
	"{hypervisor clock}": (*machine).HypervisorClock,
	"{tsc counter}": func(s *machine) string {
		name, _ := s.TSCCounter()
		return name
	},
	"{risk of tsc}":             riskOfTSC,
	"{coarse clocks}":           coarseClocks,
	"{languages with calls}":    languagesWithCalls,
	"{languages without calls}": languagesWithout,
	"{hiding parameters}": func(s *machine) string {
		var texts []string
		for _, p := range s.HidesTimers() {
			texts = append(texts, p.Text)
		}
		return words.List(texts)
	},
	"{host clock}":                func(s *machine) string { return s.HostClock().Against },
	"{time service of the cloud}": func(s *machine) string { return CloudOf(s).advice },
	"{time services}":             func(s *machine) string { return strings.Join(s.ServiceNames(), ", ") },
	"{instance}":                  instance,
	"{CPUs}":                      func(s *machine) string { return strconv.Itoa(max(2, s.Host.CPU.Usable)) },
}

// fill puts the figures of a machine into a text, and reports whether they are safe in a command.
func fill(s *machine, text string) (filled string, safe bool) {
	safe = true
	filled = texts.Fill(text, func(word string) string {
		of := figures[word]
		if of == nil {
			return word
		}
		figure := of(s)
		safe = safe && safeInShell().MatchString(figure)
		return figure
	})
	return filled, safe
}

func riskOfTSC(s *machine) string {
	risk := "If the TSCs of the CPUs disagree, time jumps between CPUs, also backwards. The kernel checks this at boot. " +
		"Leave its watchdog on."
	if s.Host.CPU.InvariantTSC != nil && !s.Invariant() {
		risk += " This CPU does not report an invariant TSC: its rate may change, and it may stop while the CPU sleeps."
	}
	return strings.TrimSpace(risk + " " + HypervisorOf(s).Get("risk"))
}
