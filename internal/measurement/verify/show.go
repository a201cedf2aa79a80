package verify

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// Fact returns the duration of the verification and the CPUs.
func (v *Verification) Fact(*result.Document) table.Fact {
	text := "for " + words.Duration(float64(v.DurationNS)) + " on " + words.CPUs(v.CPUs)
	if v.Load {
		text += ", with every CPU busy"
	}
	return table.Fact{Name: "Verified", Value: text}
}

// Block returns the verdict on each clock, and whether it can be trusted.
func (v *Verification) Block(d *result.Document) table.Block {
	block := table.Block{
		Title: "Verification of each clock",
		Grids: []table.Grid{verdictGrid(v), bracketGrid(v), relationGrid(v)},
	}
	var why words.Reasons
	for _, c := range v.Clocks {
		for _, f := range c.Faults {
			block.Faults = append(block.Faults, faultSentence(c, f))
		}
		why.Add(c.ID, c.Reason)
	}
	for _, r := range v.Relations {
		if !r.Held {
			block.Faults = append(block.Faults, r.Broken())
		}
	}
	block.Notes = append(words.Lost(v.LostCPUs), why.Lines()...)
	verified := func(c VerifiedClock) bool { return c.Verdict != Unverified }
	switch {
	case !v.Held():
		block.Level = table.Error
	case !slices.ContainsFunc(v.Clocks, verified) || slices.ContainsFunc(v.Clocks, func(c VerifiedClock) bool { return !verified(c) && !absent(c, d) }):
		block.Level = table.Warn
	default:
		block.Level = table.OK
	}
	block.Verdict = trust(v, d)
	return block
}

// Broken returns that a relation did not hold, in a sentence.
func (r Relation) Broken() string {
	return fmt.Sprintf("%s should keep a constant distance from %s; it changed by %s.", r.Clock, r.Against, words.BoundedNS(r.ChangeNS, r.BoundNS))
}

func verdictGrid(v *Verification) table.Grid {
	g := table.Grid{
		Title: "Verification of each clock", Texts: 2,
		Header: []string{"Clock", "verdict", "reads", "repeats", "detects warps"}, Spare: []int{3, 2},
	}
	for _, c := range v.Clocks {
		if c.Verdict == Unverified {
			g.Rows = append(g.Rows, []string{c.ID, c.Verdict, "-", "-", "-"})
			continue
		}
		repeats, sees := "-", "-"
		if c.Reads > 0 {
			repeats = words.Percent(float64(c.Repeats) / float64(c.Reads))
		}
		if c.Across != nil && c.Across.SmallestWarpNS > 0 {
			sees = words.Duration(c.Across.SmallestWarpNS)
			g.Note = "detects warps: a CPU's value behind another's by at least this would have been detected."
		}
		g.Rows = append(g.Rows, []string{c.ID, verdict(c), words.Thousands(c.Reads), repeats, sees})
	}
	return g
}

func verdict(c VerifiedClock) string {
	var seen []string
	for _, f := range c.Faults {
		short := faultWords[f.Kind].short
		if faultWords[f.Kind].worst != "" {
			short += " " + often(f.Count)
			if f.WorstNS > 0 {
				short += ", worst " + words.Duration(f.WorstNS)
			}
		}
		if f.Kind == FaultWarp && f.CPU != nil && f.EarlierCPU != nil {
			short += fmt.Sprintf(", between CPU %d and %d", *f.EarlierCPU, *f.CPU)
		}
		seen = append(seen, short)
	}
	text := strings.Join(seen, "; ")
	switch {
	case text == "":
		return c.Verdict
	case c.Verdict == Backwards || c.Verdict == Faulty:
		return text
	default:
		return c.Verdict + "; " + text
	}
}

// often returns a count as text: once, 3 times.
func often(n int64) string {
	if n == 1 {
		return "once"
	}
	return words.Thousands(n) + " times"
}

// faultWords are the texts of each kind of fault, for a cell and for a sentence. worst
// precedes the size; it is empty if a fault has neither a count nor a size.
var faultWords = map[string]struct {
	short    string
	sentence func(c VerifiedClock) string
	worst    string
}{
	FaultBackwards: {"went backwards", func(c VerifiedClock) string { return c.ID + " went backwards on one CPU" }, "at worst by "},
	FaultWarp:      {"went backwards", func(c VerifiedClock) string { return c.ID + " went backwards from one CPU to another" }, "at worst by "},
	FaultStall:     {"stopped", func(c VerifiedClock) string { return c.ID + " stopped" + witnessed(c, " while %s advanced,") }, "for up to "},
	FaultJump:      {"jumped", func(c VerifiedClock) string { return c.ID + " jumped" + witnessed(c, ", against %s,") }, "at worst by "},
	FaultOutside: {"outside the bracket", func(c VerifiedClock) string {
		return c.ID + " was outside the bracket of two reads of " + other(c)
	}, "at worst by "},
	FaultResolution: {"reports another resolution", func(c VerifiedClock) string {
		text := c.ID + " reports another resolution than " + other(c)
		if b := c.Bracket; b != nil {
			text += fmt.Sprintf(" (%s, not %s)", orNone(b.ResolutionNS), orNone(b.AgainstResolutionNS))
		}
		return text
	}, ""},
	FaultFailed: {"failed", func(c VerifiedClock) string { return "Reads of " + c.ID + " failed" }, "at worst after "},
}

func witnessed(c VerifiedClock, words string) string {
	if c.Witness == "" {
		return ""
	}
	return fmt.Sprintf(words, c.Witness)
}

func other(c VerifiedClock) string {
	if c.Bracket == nil {
		return "its other path"
	}
	return c.Bracket.Against
}

func orNone(resolutionNS float64) string {
	if resolutionNS == 0 {
		return "none"
	}
	return words.Duration(resolutionNS)
}

func faultSentence(c VerifiedClock, f ClockFault) string {
	known := faultWords[f.Kind]
	text := known.sentence(c)
	if known.worst != "" {
		text += " " + often(f.Count)
		if f.WorstNS > 0 {
			text += ", " + known.worst + words.Duration(f.WorstNS)
		}
	}
	switch {
	case f.CPU != nil && f.EarlierCPU != nil:
		text += fmt.Sprintf("; CPU %d read a smaller value than CPU %d before it", *f.CPU, *f.EarlierCPU)
	case f.CPU != nil:
		text += fmt.Sprintf("; seen on CPU %d", *f.CPU)
	}
	if f.Text != "" {
		text += ": " + f.Text
	}
	return words.Sentence(text)
}

func bracketGrid(v *Verification) table.Grid {
	g := table.Grid{
		Title: "Against the same clock by another path, which is read before and after each value", Texts: 2,
		Header: []string{"Clock", "against", "brackets", "offset", "reported", "other reported"}, Spare: []int{2, 5, 4},
	}
	for _, c := range v.Clocks {
		b := c.Bracket
		if b == nil {
			continue
		}
		call, _, _ := strings.Cut(c.ID, "@")
		against := strings.TrimPrefix(b.Against, call+"@")
		if against != b.Against {
			against = "@" + against
		}
		ahead := "-"
		if b.Brackets > 0 {
			ahead = words.BoundedNS(b.OffsetNS, b.BoundNS)
		}
		g.Rows = append(g.Rows, []string{c.ID, against, words.Thousands(b.Brackets), ahead, orNone(b.ResolutionNS), orNone(b.AgainstResolutionNS)})
		g.Note = "offset: from the tightest bracket, ± half of it and the resolution. reported: the resolution that the path reports."
	}
	return g
}

func relationGrid(v *Verification) table.Grid {
	g := table.Grid{
		Title: "Clock against clock over the whole run", Texts: 2,
		Header: []string{"Clock", "against", "change", "ppm", "distance"}, Spare: []int{3},
	}
	for _, r := range v.Relations {
		distance := "free"
		switch {
		case !r.Held:
			distance = "stepped"
		case r.Steady:
			distance = "kept"
		default:
			g.Note = "free: the distance may change."
		}
		g.Rows = append(g.Rows, []string{r.Clock, r.Against, words.BoundedNS(r.ChangeNS, r.BoundNS), words.SignedPPM(r.PPM), distance})
	}
	return g
}

// absent reports whether a clock is not available in a document.
func absent(c VerifiedClock, d *result.Document) bool {
	return slices.ContainsFunc(compare.Of(d).Clocks, func(entry compare.Clock) bool { return entry.ID == c.ID && !entry.Available })
}

func trust(v *Verification, d *result.Document) string {
	verified, unverified, missing, single := 0, 0, 0, 0
	var bad []string
	for _, c := range v.Clocks {
		switch {
		case c.Verdict != Unverified:
			verified++
		case absent(c, d):
			missing++
		default:
			unverified++
		}
		if len(c.Faults) > 0 {
			bad = append(bad, c.ID)
		} else if c.Verdict == OneCPU {
			single++
		}
	}
	var where string
	if v.DurationNS > 0 {
		where = fmt.Sprintf(" on %s in %s", words.Plural(len(v.CPUs), "CPU"), words.Duration(float64(v.DurationNS)))
	}
	var text string
	switch {
	case len(bad) == 1 && len(v.Clocks) == 1:
		text = "The clock failed" + where + ": " + bad[0] + "."
	case len(bad) > 0:
		text = fmt.Sprintf("%d of %s failed%s: %s.", len(bad), words.Plural(verified+unverified, "clock"), where, strings.Join(bad, ", "))
	case verified == 0:
		text = "No clock was verified."
	case unverified > 0:
		text = fmt.Sprintf("%d of %s passed%s; %d could not be verified.", verified, words.Plural(verified+unverified, "clock"), where, unverified)
	case verified == 1:
		text = "The clock passed" + where + "."
	case verified == 2:
		text = "Both clocks passed" + where + "."
	default:
		text = fmt.Sprintf("All %d clocks passed%s.", verified, where)
	}
	if single > 0 {
		text += fmt.Sprintf(" %s could be verified on one CPU only.", words.Plural(single, "clock"))
	}
	if unverified > 0 && len(bad) > 0 {
		text += fmt.Sprintf(" %s could not be verified.", words.Plural(unverified, "clock"))
	}
	if missing > 0 && verified > 0 {
		text += fmt.Sprintf(" %s not available here.", words.Plural(missing, "clock")+words.Are(missing))
	}
	if n := notHeld(v.Relations); n > 0 {
		text += fmt.Sprintf(" %s did not hold.", words.Plural(n, "relation"))
	}
	return text + limits(v)
}

// sensitivity returns the clocks that detect the smallest and the largest warps, of those that an interrupt does not
// advance, if there are any; nil if no clock was compared on all CPUs without a warp.
func (v *Verification) sensitivity() (best, worst *VerifiedClock) {
	coarse := func(c *VerifiedClock) bool { return c.TickNS == 0 || c.TickNS >= coarseNS } // its ticks hide more than the comparison
	for i := range v.Clocks {
		c := &v.Clocks[i]
		switch {
		case c.Across == nil || c.Across.SmallestWarpNS == 0 || best != nil && coarse(c) && !coarse(best):
		case best == nil || coarse(best) && !coarse(c):
			best, worst = c, c
		case c.Across.SmallestWarpNS < best.Across.SmallestWarpNS:
			best = c
		case c.Across.SmallestWarpNS > worst.Across.SmallestWarpNS:
			worst = c
		}
	}
	return best, worst
}

// limits returns sentences, each after a space, about what the comparison between the CPUs can have missed: warps that
// are smaller than it detects, and pairs of CPUs that it left out.
func limits(v *Verification) (text string) {
	if best, worst := v.sensitivity(); best != nil {
		text = fmt.Sprintf(" The smallest detectable warp was %s.", words.Duration(worst.Across.SmallestWarpNS))
		if best != worst {
			text = fmt.Sprintf(" The smallest detectable warp was %s (%s) to %s (%s).", words.Duration(best.Across.SmallestWarpNS), best.ID, words.Duration(worst.Across.SmallestWarpNS), worst.ID)
		}
	}
	cpus := len(v.CPUs) - len(v.LostCPUs)
	all := cpus * (cpus - 1)
	fewest := all
	for _, c := range v.Clocks {
		if c.Across != nil && !slices.ContainsFunc(c.Faults, func(f ClockFault) bool { return f.Kind == FaultWarp }) {
			fewest = min(fewest, c.Across.Pairs)
		}
	}
	if fewest < all {
		text += fmt.Sprintf(" Only %d of %d comparisons of one CPU with another were made; use a longer --duration.", fewest, all)
	}
	return text
}

func notHeld(relations []Relation) int {
	return len(slices.DeleteFunc(slices.Clone(relations), func(r Relation) bool { return r.Held }))
}

// Lines returns a line for each clock.
func (v *Verification) Lines(*result.Document) [][]string {
	header := []string{
		"clock", "verdict", "reason", "reads", "repeats", "stood_ns", "tick_ns", "witness", "checks", "pairs", "smallest_warp_ns",
		"against", "brackets", "offset_ns", "bound_ns", "resolution_ns", "against_resolution_ns",
	}
	for _, kind := range ClockFaults {
		header = append(header, kind+"_count", kind+"_worst_ns")
	}
	lines := [][]string{header}
	for _, c := range v.Clocks {
		line := []string{c.ID, c.Verdict, c.Reason, strconv.FormatInt(c.Reads, 10), strconv.FormatInt(c.Repeats, 10), words.Known(c.StoodNS), words.Known(c.TickNS), c.Witness}
		if a := c.Across; a == nil {
			line = append(line, "", "", "")
		} else {
			line = append(line, strconv.FormatInt(a.Checks, 10), strconv.Itoa(a.Pairs), words.Known(a.SmallestWarpNS))
		}
		if b := c.Bracket; b == nil {
			line = append(line, "", "", "", "", "", "")
		} else {
			line = append(line, b.Against, strconv.FormatInt(b.Brackets, 10), words.Number(b.OffsetNS), words.Number(b.BoundNS), words.Known(b.ResolutionNS), words.Known(b.AgainstResolutionNS))
		}
		for _, kind := range ClockFaults {
			i := slices.IndexFunc(c.Faults, func(f ClockFault) bool { return f.Kind == kind })
			if i < 0 {
				line = append(line, "0", "")
				continue
			}
			line = append(line, strconv.FormatInt(c.Faults[i].Count, 10), words.Known(c.Faults[i].WorstNS))
		}
		lines = append(lines, line)
	}
	return lines
}
