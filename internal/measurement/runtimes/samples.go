package runtimes

import (
	"strings"

	"github.com/timebench/timebench/internal/document/section"
)

// Samples returns the samples of latency, for benchstat; the medians of the runs if there were several.
func (s *Runtimes) Samples() []section.Sample {
	var all []section.Sample
	for _, r := range s.Runtimes {
		for _, m := range r.Calls {
			if m.Latency == nil {
				continue
			}
			name := "Runtime/call=" + strings.Join(strings.Fields(m.ID), "_")
			for _, sample := range m.Latency.ByRun() {
				all = append(all, section.Sample{Name: name, NSPerRead: sample})
			}
		}
		for _, m := range r.namedSleeps() {
			name := "Sleep/call=" + strings.Join(strings.Fields(m.name), "_")
			for _, sample := range m.Took.ByRun() {
				all = append(all, section.Sample{Name: name, NSPerRead: sample})
			}
		}
	}
	return all
}
