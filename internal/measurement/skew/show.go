package skew

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// Fact returns the duration of the measurement and the CPUs.
func (s *Skew) Fact(*result.Document) table.Fact {
	return table.Fact{Name: "Skew",
		Value: "measured for " + words.Duration(float64(s.DurationNS)) + " on " + words.CPUs(s.CPUs)}
}

// Block returns the skew of each clock between CPUs.
func (s *Skew) Block(*result.Document) table.Block {
	block := table.Block{Title: "Skew between CPUs"}
	var why words.Reasons
	block.Notes = words.Lost(s.LostCPUs)
	for i := range s.Clocks {
		c := &s.Clocks[i]
		for _, reason := range whyMissing(c) {
			why.Add(c.ID, reason)
		}
		if len(c.Pairs) == 0 {
			continue
		}
		block.Grids = append(block.Grids, pairGrid(c))
		if apart := apartPairs(c.Pairs); len(apart) > 0 {
			block.Faults, block.Level = append(block.Faults, s.fault(c, apart)), table.Error
		}
	}
	block.Notes = append(block.Notes, why.Lines()...)
	block.Verdict = s.verdict(why)
	return block
}

// whyMissing returns why a clock could not be compared, or how many pairs are missing for each reason.
func whyMissing(c *SkewedClock) []string {
	if len(c.MissingPairs) == 0 {
		return []string{c.Reason}
	}
	var reasons []string
	number := map[string]int{}
	for _, p := range c.MissingPairs {
		if number[p.Reason]++; number[p.Reason] == 1 {
			reasons = append(reasons, p.Reason)
		}
	}
	const most = 10
	var lines []string
	for _, reason := range reasons[:min(most, len(reasons))] {
		n := number[reason]
		lines = append(lines, words.Plural(n, "pair")+words.Are(n)+" missing: "+reason)
	}
	if more := len(reasons) - most; more > 0 {
		lines = append(lines, "pairs are missing for "+words.Plural(more, "more reason"))
	}
	return lines
}

func apartPairs(pairs []CPUPair) []CPUPair {
	return slices.DeleteFunc(worstFirst(pairs), func(p CPUPair) bool { return !p.Apart() })
}

// worstFirst returns pairs in descending order of the offset minus its error bound. Pairs
// within their bounds come last, in descending order of the offset.
func worstFirst(pairs []CPUPair) []CPUPair {
	certain := func(p CPUPair) float64 { return max(0, p.excessNS()) }
	sorted := slices.Clone(pairs)
	slices.SortStableFunc(sorted, func(a, b CPUPair) int {
		return cmp.Or(cmp.Compare(certain(b), certain(a)), cmp.Compare(math.Abs(b.OffsetNS), math.Abs(a.OffsetNS)))
	})
	return sorted
}

// fault returns a sentence about the pairs of CPUs on which a clock differs by more than the error bound.
func (s *Skew) fault(c *SkewedClock, apart []CPUPair) string {
	const most = 5
	var named []string
	for _, p := range apart[:min(most, len(apart))] {
		named = append(named, p.String())
	}
	if more := len(apart) - most; more > 0 {
		named = append(named, words.Plural(more, "more pair"))
	}
	text := fmt.Sprintf("%s: %d of %s beyond the error bound: %s.", c.ID, len(apart),
		words.Plural(len(c.Pairs), "pair")+words.Are(len(apart)), words.List(named))
	if len(c.Pairs) < s.wanted(c) {
		text += fmt.Sprintf(" Only %s were measured.", s.measured(c))
	}
	return text
}

// String returns which CPU is ahead, and by how much.
func (p CPUPair) String() string {
	ahead, behind := p.OtherCPU, p.CPU
	if p.OffsetNS < 0 {
		ahead, behind = behind, ahead
	}
	return fmt.Sprintf("CPU %d is ahead of CPU %d by %s", ahead, behind,
		words.BoundedNS(math.Abs(p.OffsetNS), p.BoundNS))
}

// Worst returns the pair that differs most beyond its error bound; nil if no pair does.
func (s *Skew) Worst() *CPUPair {
	var pairs []CPUPair
	for _, c := range s.Clocks {
		pairs = append(pairs, c.Pairs...)
	}
	if apart := apartPairs(pairs); len(apart) > 0 {
		return &apart[0]
	}
	return nil
}

// roundTrip returns the best round trip of a pair as text; an upper bound if the clock is too coarse to measure it.
func roundTrip(p CPUPair) string {
	if p.TellsRoundTrip() {
		return words.SignedDuration(p.RoundTripNS)
	}
	return "≤ " + words.SignedDuration(p.RoundTripNS+p.TickNS())
}

// mostListed is the maximum number of pairs in a list.
const mostListed = 16

// A line is a pair of CPUs on which a clock was compared, or the reason why the pair is missing.
type line struct {
	clock  string
	reason string
	// cpu and otherCPU are the CPUs of a pair, also of a missing pair; known is false for a clock without pairs.
	cpu, otherCPU int
	known         bool
	pair          *CPUPair
}

func (c *SkewedClock) lines() []line {
	if len(c.Pairs)+len(c.MissingPairs) == 0 {
		return []line{{clock: c.ID, reason: c.Reason}}
	}
	var all []line
	for i := range c.Pairs {
		p := &c.Pairs[i]
		all = append(all, line{c.ID, c.Reason, p.CPU, p.OtherCPU, true, p})
	}
	for _, p := range c.MissingPairs {
		all = append(all, line{c.ID, p.Reason, p.CPU, p.OtherCPU, true, nil})
	}
	return all
}

// figure and text make columns of the pair.
var (
	figure = table.Within(func(l line) *CPUPair { return l.pair }, table.Unknown)
	text   = table.Within(func(l line) *CPUPair { return l.pair }, "")
)

var columns = []table.Column[line]{
	{Key: "clock", Text: func(l line) string { return l.clock }},
	{Name: "CPU", Key: "cpu", Left: true, Unit: words.Number,
		Value: func(l line) float64 { return table.If(l.known, float64(l.cpu)) }},
	{Name: "other", Key: "other_cpu", Unit: words.Number,
		Value: func(l line) float64 { return table.If(l.known, float64(l.otherCPU)) }},
	{
		Name: "offset", Key: "offset_ns", Value: figure(func(p *CPUPair) float64 { return p.OffsetNS }),
		Cell: func(l line) string { return words.BoundedNS(l.pair.OffsetNS, l.pair.BoundNS) },
	},
	{Key: "bound_ns", Value: figure(func(p *CPUPair) float64 { return p.BoundNS })},
	{
		Name: "best round trip", Key: "round_trip_ns", Spare: 1,
		Value: figure(func(p *CPUPair) float64 { return p.RoundTripNS }),
		Cell:  func(l line) string { return roundTrip(*l.pair) },
	},
	{Name: "rounds", Key: "rounds", Spare: 2, Unit: words.Count,
		Value: figure(func(p *CPUPair) float64 { return float64(p.Rounds) })},
	{
		Name: "significant", Key: "apart",
		Text: text(func(p *CPUPair) string { return strconv.FormatBool(p.Apart()) }),
		Cell: func(l line) string { return words.Either(l.pair.Apart(), "yes", "no") },
	},
	{Key: "reason", Text: func(l line) string { return l.reason }},
}

// pairGrid returns the pairs of a clock, the worst if there are many.
func pairGrid(c *SkewedClock) table.Grid {
	title, note := c.ID+": offset of the other CPU", ""
	shown := SkewedClock{ID: c.ID, Pairs: c.Pairs}
	if len(c.Pairs) > mostListed {
		shown.Pairs = worstFirst(c.Pairs)[:mostListed]
		low, high := c.Pairs[0].OffsetNS, c.Pairs[0].OffsetNS
		for _, p := range c.Pairs {
			low, high = min(low, p.OffsetNS), max(high, p.OffsetNS)
		}
		title += ", the worst " + strconv.Itoa(mostListed) + " of " + words.Plural(len(c.Pairs), "pair")
		note = fmt.Sprintf("All %d offsets are %s; CSV and JSON have them.", len(c.Pairs), words.Between(low, high))
	}
	g := table.Of(title, shown.lines(), columns)
	g.Note = note
	return g
}

// Lines returns a line for each pair of CPUs. A missing pair has only its reason. A clock without
// pairs has one line with the reason.
func (s *Skew) Lines(*result.Document) [][]string {
	var all []line
	for i := range s.Clocks {
		all = append(all, s.Clocks[i].lines()...)
	}
	return table.Lines(all, columns)
}
