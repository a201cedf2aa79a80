package diagnose

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/show/words"
)

func backwards(s *situation.Situation) *result.Finding {
	finding := foundBy(s, nil, "backwards")
	if compared := skew.Of(s.Document); compared != nil {
		if worst := compared.Worst(); worst != nil {
			finding.Title = "the CPUs do not have the same time: " + worst.String()
		}
		finding.Evidence = append(finding.Evidence, compared.Block(s.Document).Faults...)
	}
	wentBackwards := func(id, kind string, r *compare.Resolution) {
		if r != nil && kind == "monotonic" && r.Backwards > 0 {
			finding.Evidence = append(finding.Evidence, happened(id, "went backwards", r.Backwards, r.WorstBackwardsNS))
		}
	}
	for _, c := range s.Clocks {
		wentBackwards(c.ID, c.Kind, c.Resolution)
	}
	if section := runtimes.Of(s.Document); section != nil {
		for _, r := range section.Runtimes {
			for _, c := range r.Calls {
				wentBackwards(c.ID, c.Kind, c.Resolution)
			}
		}
	}
	s.EachFault(func(c verify.VerifiedClock, f verify.ClockFault) {
		if f.Kind == verify.FaultWarp || f.Kind == verify.FaultBackwards && !s.IsWall(c.ID) { // which may be set
			finding.Evidence = append(finding.Evidence, clause(verify.FaultSentence(c, f)))
		}
	})
	return finding
}

func happened(id, predicate string, times int64, worstNS float64) string {
	return fmt.Sprintf("%s %s %s, by up to %s", id, predicate, words.Plural(int(times), "time"),
		words.Duration(worstNS))
}

// clause returns a sentence without its full stop.
func clause(sentence string) string { return strings.TrimSuffix(sentence, ".") }

func faulty(s *situation.Situation) *result.Finding {
	var evidence []string
	s.EachFault(func(c verify.VerifiedClock, f verify.ClockFault) {
		switch {
		case f.Kind == verify.FaultWarp, f.Kind == verify.FaultBackwards, f.Kind == verify.FaultFailed:
		case s.IsWall(c.ID) && f.Kind == verify.FaultJump: // it may be set
		default:
			evidence = append(evidence, clause(verify.FaultSentence(c, f)))
		}
	})
	return foundBy(s, evidence, "faulty-clock")
}

// drifting finds a clock whose rate no time service can correct, or whose rate changes by as much under load.
func drifting(s *situation.Situation) *result.Finding {
	t := drift.Of(s.Document)
	if t == nil {
		return nil
	}
	var evidence []string
	beyond := func(r *drift.DriftRate, from float64) bool {
		return r != nil && r.PPM != nil && math.Abs(*r.PPM-from)-r.IntervalPPM > situation.MaxFrequencyPPM
	}
	for _, c := range t.Clocks {
		of := func(text string, ppm float64) {
			evidence = append(evidence, fmt.Sprintf("%s %s by %s ppm", c.ID, text, words.SignedPPM(ppm)))
		}
		switch {
		case beyond(c.Idle, 0):
			of("differs from "+t.Reference, *c.Idle.PPM)
		case c.Idle != nil && c.Idle.PPM != nil && beyond(c.Loaded, *c.Idle.PPM):
			of("changes its rate under load", *c.Loaded.PPM-*c.Idle.PPM)
		}
	}
	return foundBy(s, evidence, "drift", "{limit}", strconv.Itoa(situation.MaxFrequencyPPM))
}
