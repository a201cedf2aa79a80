package watch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/show/printable"
	"github.com/timebench/timebench/internal/show/words"
)

// text returns the state for people, in lines: the clock source, the costs, the findings and what was counted.
func (s *State) text() string {
	var lines []string
	if source := s.Document.Host.ClockSource; source != nil {
		lines = append(lines, "Clock source: "+source.Current)
	}
	for _, id := range slices.Sorted(maps.Keys(s.QuietNS)) {
		lines = append(lines, fmt.Sprintf("%s: %s ns/read", id, words.NS(s.QuietNS[id])))
	}
	if s.TimeSync != nil {
		state := "not synchronised"
		if s.TimeSync.Synchronised {
			state = "synchronised"
		}
		lines = append(lines, "Wall clock: "+state)
	}
	for _, f := range s.Document.Findings {
		lines = append(lines, f.Severity+": "+f.Title)
	}
	if s.Examined && len(s.Document.Findings) == 0 {
		lines = append(lines, "No finding")
	}
	lines = append(lines,
		fmt.Sprintf("Since %s: %s, %s of the clock source, %s of the wall clock", s.Started.UTC().Format(time.RFC3339),
			words.Plural(int(s.Turns), "turn"), words.Plural(int(s.Events[ClockSource]), "change"),
			words.Plural(int(s.Events[WallClockStep]), "step")),
		"Last turn: "+s.LastTurn.UTC().Format(time.RFC3339),
		"Metrics: /metrics", "Health: /healthz")
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(printable.Line(line) + "\n")
	}
	return text.String()
}
