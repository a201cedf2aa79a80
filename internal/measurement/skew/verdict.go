package skew

import (
	"cmp"
	"fmt"
	"math"

	"github.com/timebench/timebench/internal/show/words"
)

// verdict returns the summary. why has the reasons of what is missing.
func (s *Skew) verdict(why words.Reasons) string {
	var apart []string
	var compared []*SkewedClock
	within, available := 0.0, 0
	for i := range s.Clocks {
		c := &s.Clocks[i]
		if c.TicksPerSecond > 0 {
			available++
		}
		if len(c.Pairs) == 0 {
			continue
		}
		compared = append(compared, c)
		if len(apartPairs(c.Pairs)) > 0 {
			apart = append(apart, c.ID)
		}
		for _, p := range c.Pairs {
			within = max(within, math.Abs(p.OffsetNS)+p.BoundNS)
		}
	}
	measured, wanted := s.coverage(compared)
	by, clocks := words.Either(len(compared) > 1, " by every clock", ""), words.Plural(len(compared), "clock")
	if len(compared) < available {
		clocks = fmt.Sprintf("%d of %s", len(compared), words.Plural(available, "clock"))
	}
	none := words.Either(s.Star(), "No CPU differs from the first", "No CPUs differ")
	switch {
	case len(compared) == 0 && len(s.CPUs) == 1:
		return "There is only one CPU: nothing to compare."
	case len(compared) == 0:
		return why.After("No clock could be compared between CPUs")
	case len(apart) > 0:
		text := "CPUs differ by more than the error bound: " + words.List(apart) + "."
		if measured < wanted {
			text += fmt.Sprintf(" Only %d of %s of CPUs were measured%s.", measured, words.Plural(wanted, "pair"), by)
		}
		return text
	case measured < wanted:
		return fmt.Sprintf("%s by more than %s in %d of %s of CPUs (%s). The others were not measured%s.", none,
			words.Duration(within), measured, words.Plural(wanted, "pair"), clocks, by)
	default:
		return fmt.Sprintf("%s by more than %s (%s of CPUs, %s).", none, words.Duration(within),
			words.Plural(measured, "pair"), clocks)
	}
}

// Star reports whether only the first CPU was compared with each other one, as on large machines.
func (s *Skew) Star() bool { return len(s.CPUs) > MatrixCPUs }

// coverage returns the number of pairs of CPUs that all of several clocks measured, and the number of pairs to measure.
func (s *Skew) coverage(clocks []*SkewedClock) (measured, wanted int) {
	by := map[[2]int]int{} // clocks by pair
	for _, c := range clocks {
		wanted = max(wanted, s.wanted(c))
		for _, p := range c.Pairs {
			by[[2]int{min(p.CPU, p.OtherCPU), max(p.CPU, p.OtherCPU)}]++
		}
	}
	for _, n := range by {
		if n == len(clocks) {
			measured++
		}
	}
	return measured, wanted
}

// wanted returns the number of pairs to compare by a clock. A clock that could not be read lists none.
func (s *Skew) wanted(c *SkewedClock) int {
	return max(len(pairs(s.CPUs)), len(c.Pairs)+len(c.MissingPairs))
}

// Missing returns why CPUs were not compared, or which differences no clock could show; "" if a clock compared each
// pair with a small error bound.
func (s *Skew) Missing() string {
	why := "no clock could be read"
	fewest, smallest := math.MaxInt, 0.0
	for i := range s.Clocks {
		c := &s.Clocks[i]
		missing, bound := s.wanted(c)-len(c.Pairs), 0.0
		for _, p := range c.Pairs {
			if !p.Apart() {
				bound = max(bound, p.BoundNS)
			}
		}
		switch {
		case missing > fewest || missing == fewest && bound >= smallest:
			continue
		case missing == 0:
			why = words.Insensitive(bound)
		case len(c.Pairs) == 0:
			why = cmp.Or(c.Reason, s.measured(c))
		default:
			why = s.measured(c) + ": " + c.Reason
		}
		fewest, smallest = missing, bound
	}
	return why
}

// measured returns the number of pairs of a clock, and the number of pairs to measure if some are missing: 7 of 63
// pairs.
func (s *Skew) measured(c *SkewedClock) string {
	if wanted := s.wanted(c); len(c.Pairs) < wanted {
		return fmt.Sprintf("%d of %d pairs", len(c.Pairs), wanted)
	}
	return words.Plural(len(c.Pairs), "pair")
}
