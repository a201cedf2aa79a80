package verify

import (
	"cmp"
	"fmt"
	"slices"
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
	const title = "Verification of each clock"
	compared := slices.DeleteFunc(slices.Clone(v.Clocks), func(c VerifiedClock) bool { return c.Bracket == nil })
	block := table.Block{Title: title, Grids: []table.Grid{table.Of(title, v.Clocks, verdictColumns),
		table.Of("Against the same clock by another path", compared,
			append([]table.Column[VerifiedClock]{idColumn}, bracketColumns...))}}
	var why words.Reasons
	for _, c := range v.Clocks {
		for _, f := range c.Faults {
			block.Faults = append(block.Faults, FaultSentence(c, f))
		}
		why.Add(c.ID, c.Reason)
	}
	block.Notes = append(words.Lost(v.LostCPUs), why.Lines()...)
	block.Verdict, block.Level = v.trust(d, why)
	return block
}

// ifVerified makes a column of a figure of a clock that was verified, ofAcross of its comparison between CPUs, and
// ofBracket of its comparison with another path.
var (
	ifVerified = table.Within(func(c VerifiedClock) *VerifiedClock {
		if c.Verdict == Unverified {
			return nil
		}
		return &c
	}, table.Unknown)
	ofAcross  = table.Within(func(c VerifiedClock) *Across { return c.Across }, table.Unknown)
	ofBracket = table.Within(func(c VerifiedClock) *Bracket { return c.Bracket }, table.Unknown)
)

var idColumn = table.Column[VerifiedClock]{Name: "Clock", Key: "clock", Left: true,
	First: func(c VerifiedClock) bool { return c.Verdict != IsMonotonic },
	Text:  func(c VerifiedClock) string { return c.ID }}

var verdictColumns = []table.Column[VerifiedClock]{
	idColumn,
	{Name: "verdict", Key: "verdict", Left: true, Text: func(c VerifiedClock) string { return c.Verdict },
		Cell: verdict},
	{Key: "reason", Text: func(c VerifiedClock) string { return c.Reason }},
	{Name: "reads", Key: "reads", Spare: 1, Unit: words.Count,
		Value: ifVerified(func(c *VerifiedClock) float64 { return float64(c.Reads) })},
	{
		Name: "repeats", Key: "repeats", Spare: 2,
		Value: ifVerified(func(c *VerifiedClock) float64 { return float64(c.Repeats) }),
		Cell: func(c VerifiedClock) string {
			if c.Verdict == Unverified || c.Reads == 0 {
				return ""
			}
			return words.Percent(float64(c.Repeats) / float64(c.Reads))
		},
	},
	{Key: "stood_ns", Value: func(c VerifiedClock) float64 { return table.Known(c.StoodNS) }},
	{Key: "tick_ns", Value: func(c VerifiedClock) float64 { return table.Known(c.TickNS) }},
	{Key: "witness", Text: func(c VerifiedClock) string { return c.Witness }},
	{Key: "checks", Value: ofAcross(func(a *Across) float64 { return float64(a.Checks) })},
	{Key: "pairs", Value: ofAcross(func(a *Across) float64 { return float64(a.Pairs) })},
	{Name: "detects warps", Key: "smallest_warp_ns", Unit: words.Duration,
		Note:  "detects warps: a CPU's value behind another's by at least this would have been detected.",
		Value: ofAcross(func(a *Across) float64 { return table.Known(a.SmallestWarpNS) })},
}

// verdict returns the verdict on a clock; if it has faults, how often, how far, and between which CPUs the worst fault
// was: a step backwards, or else the largest. A sentence has each fault.
func verdict(c VerifiedClock) string {
	if len(c.Faults) == 0 || c.Verdict == Unverified {
		return c.Verdict
	}
	back := func(f ClockFault) int { return words.Either(f.Kind == FaultBackwards || f.Kind == FaultWarp, 1, 0) }
	worst := slices.MaxFunc(c.Faults, func(a, b ClockFault) int {
		return cmp.Or(cmp.Compare(back(a), back(b)), cmp.Compare(a.size(), b.size()))
	})
	text := faultWords[worst.Kind].short
	switch {
	case c.Verdict == OneCPU && worst.Kind == FaultWarp:
		text = OneCPU + ": " + words.Plural(int(worst.Count), "warp")
	case worst.PPM > 0:
		text += byShare(worst)
	case faultWords[worst.Kind].worst != "":
		text += " " + words.Thousands(worst.Count) + "×"
	}
	if worst.size() > 0 {
		text += ", " + words.Duration(worst.size())
	}
	if worst.CPU != nil && worst.EarlierCPU != nil {
		text += fmt.Sprintf(", CPU %d→%d", *worst.EarlierCPU, *worst.CPU)
	}
	return text
}

// size returns how far the values of a clock were wrong at worst; 0 for a fault without such a size.
func (f ClockFault) size() float64 {
	if f.Kind == FaultFailed || f.Kind == FaultResolution {
		return 0
	}
	return f.WorstNS
}

// byShare returns by how much a clock runs fast.
func byShare(f ClockFault) string { return ", by " + words.Percent(f.PPM/1e6) }

// often returns a count as text: once, 3 times.
func often(n int64) string {
	if n == 1 {
		return "once"
	}
	return words.Thousands(n) + " times"
}

// faultWords are the texts of each kind of fault, for a cell and for a sentence. worst precedes the size; it is empty
// if a fault has neither a count nor a size.
var faultWords = map[string]struct {
	short    string
	sentence func(c VerifiedClock) string
	worst    string
}{
	FaultBackwards: {Backwards, func(c VerifiedClock) string { return c.ID + " went backwards on one CPU" },
		"at worst by "},
	FaultWarp: {Backwards, func(c VerifiedClock) string { return c.ID + " went backwards from one CPU to another" },
		"at worst by "},
	FaultStall: {"stopped",
		func(c VerifiedClock) string { return c.ID + " stopped" + witnessed(c, " while %s advanced,") }, "for up to "},
	FaultAsleep: {"counts while asleep",
		func(c VerifiedClock) string { return c.ID + " advanced while its thread slept" }, "at worst by "},
	FaultJump: {"jumped", func(c VerifiedClock) string { return c.ID + " jumped" + witnessed(c, ", against %s,") },
		"at worst by "},
	FaultFast: {"runs fast",
		func(c VerifiedClock) string { return c.ID + " runs fast" + witnessed(c, " against %s") }, ""},
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

// FaultSentence returns what happened to a clock, how often, and the worst size.
func FaultSentence(c VerifiedClock, f ClockFault) string {
	known := faultWords[f.Kind]
	text := known.sentence(c)
	if known.worst != "" {
		text += " " + often(f.Count)
		if f.WorstNS > 0 {
			text += ", " + known.worst + words.Duration(f.WorstNS)
		}
	}
	if f.PPM > 0 {
		text += byShare(f)
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

var bracketColumns = []table.Column[VerifiedClock]{
	{
		Name: "against", Key: "against", Left: true,
		Text: func(c VerifiedClock) string {
			if c.Bracket == nil {
				return ""
			}
			return c.Bracket.Against
		},
		Cell: func(c VerifiedClock) string {
			call, _, _ := strings.Cut(c.ID, "@")
			if path, ok := strings.CutPrefix(c.Bracket.Against, call+"@"); ok {
				return "@" + path
			}
			return c.Bracket.Against
		},
	},
	{Name: "brackets", Key: "brackets", Spare: 3, Unit: words.Count,
		Value: ofBracket(func(b *Bracket) float64 { return float64(b.Brackets) })},
	{
		Name: "offset", Key: "offset_ns",
		Note:  "offset: midpoint of the closest surrounding reads, ± half their distance and the resolution.",
		Value: ofBracket(func(b *Bracket) float64 { return b.OffsetNS }),
		Cell: func(c VerifiedClock) string {
			if c.Bracket.Brackets == 0 {
				return ""
			}
			return words.BoundedNS(c.Bracket.OffsetNS, c.Bracket.BoundNS)
		},
	},
	{Key: "bound_ns", Value: ofBracket(func(b *Bracket) float64 { return b.BoundNS })},
	{
		Name: "reported", Key: "resolution_ns", Spare: 1,
		Note:  "reported: the resolution that the path reports.",
		Value: ofBracket(func(b *Bracket) float64 { return table.Known(b.ResolutionNS) }),
		Cell:  func(c VerifiedClock) string { return orNone(c.Bracket.ResolutionNS) },
	},
	{
		Name: "other reported", Key: "against_resolution_ns", Spare: 2,
		Value: ofBracket(func(b *Bracket) float64 { return table.Known(b.AgainstResolutionNS) }),
		Cell:  func(c VerifiedClock) string { return orNone(c.Bracket.AgainstResolutionNS) },
	},
}

func absent(c VerifiedClock, d *result.Document) bool {
	return slices.ContainsFunc(compare.Of(d).Clocks,
		func(entry compare.Clock) bool { return entry.ID == c.ID && !entry.Available })
}

// trust returns whether all clocks passed, in sentences, and how good that is. why has the reasons of what is missing.
func (v *Verification) trust(d *result.Document, why words.Reasons) (string, table.Level) {
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
		} else if c.Verdict == NotCompared {
			single++
		}
	}
	var where string
	if v.DurationNS > 0 {
		each := words.Either(single > 0 && len(bad) == 0 && len(v.CPUs) > 1, "each of ", "")
		where = fmt.Sprintf(" on %s%s in %s", each, words.Plural(len(v.CPUs), "CPU"), words.Duration(float64(v.DurationNS)))
	}
	var text string
	switch {
	case len(bad) == 1 && len(v.Clocks) == 1:
		text = "The clock failed" + where + ": " + bad[0] + "."
	case len(bad) > 0:
		text = fmt.Sprintf("%d of %s failed%s: %s.", len(bad), words.Plural(verified+unverified, "clock"), where,
			strings.Join(bad, ", "))
	case verified == 0:
		text = why.After("No clock was verified")
	case unverified > 0:
		text = fmt.Sprintf("%d of %s passed%s; %d could not be verified.", verified,
			words.Plural(verified+unverified, "clock"), where, unverified)
	case verified == 1:
		text = "The clock passed" + where + "."
	case verified == 2:
		text = "Both clocks passed" + where + "."
	default:
		text = fmt.Sprintf("All %d clocks passed%s.", verified, where)
	}
	switch {
	case single > 0 && len(v.CPUs) > 1:
		text += fmt.Sprintf(" For %s not all CPUs were compared with each other; use a longer --duration.",
			words.Plural(single, "clock"))
	case single > 0:
		text += fmt.Sprintf(" %s could be verified on one CPU only.", words.Plural(single, "clock"))
	}
	if unverified > 0 && len(bad) > 0 {
		text += fmt.Sprintf(" %s could not be verified.", words.Plural(unverified, "clock"))
	}
	if missing > 0 && verified > 0 {
		text += fmt.Sprintf(" %s not available here.", words.Plural(missing, "clock")+words.Are(missing))
	}
	level := table.OK
	switch {
	case !v.Held():
		level = table.Error
	case verified == 0 || unverified > 0:
		level = table.Warn
	}
	return text + v.limits(), level
}

// smallestWarp returns the clock that would have shown the smallest warp; nil if no clock was compared on all CPUs
// without a warp.
func (v *Verification) smallestWarp() (best *VerifiedClock) {
	for i := range v.Clocks {
		if c := &v.Clocks[i]; c.Across != nil && c.Across.SmallestWarpNS > 0 &&
			(best == nil || c.Across.SmallestWarpNS < best.Across.SmallestWarpNS) {
			best = c
		}
	}
	return best
}

// largestWarp returns the fine clock that would have shown no warp but the largest ones, if these are too large to call
// the comparison sensitive; otherwise nil. The tick of a coarse clock, whose reads repeat, hides smaller warps on every
// machine.
func (v *Verification) largestWarp() (worst *VerifiedClock) {
	for i := range v.Clocks {
		c := &v.Clocks[i]
		if c.Across == nil || c.Repeats > c.Reads/2 || words.Insensitive(c.Across.SmallestWarpNS) == "" {
			continue
		}
		if worst == nil || c.Across.SmallestWarpNS > worst.Across.SmallestWarpNS {
			worst = c
		}
	}
	return worst
}

// limits returns sentences, each after a space, about the limits of the comparison between the CPUs: the warps that are
// too small to detect, and the pairs of CPUs that it left out.
func (v *Verification) limits() (text string) {
	if best := v.smallestWarp(); best != nil {
		text = fmt.Sprintf(" The smallest detectable warp was %s (%s)", words.Duration(best.Across.SmallestWarpNS), best.ID)
		if worst := v.largestWarp(); worst != nil && worst != best {
			text += fmt.Sprintf(" to %s (%s); use a longer --duration", words.Duration(worst.Across.SmallestWarpNS), worst.ID)
		}
		text += "."
	}
	cpus := len(v.CPUs) - len(v.LostCPUs)
	all := cpus * (cpus - 1)
	fewest := all
	for _, c := range v.Clocks {
		if c.Across != nil && c.Fault(FaultWarp) == nil {
			fewest = min(fewest, c.Across.Pairs)
		}
	}
	if fewest < all {
		text += fmt.Sprintf(" Only %d of %d comparisons of one CPU with another were made; use a longer --duration.",
			fewest, all)
	}
	return text
}

// faultColumns has two columns for each kind of fault: how often, and the size.
var faultColumns = func() (all []table.Column[VerifiedClock]) {
	for _, kind := range ClockFaults {
		add := func(key string, none float64, of func(*ClockFault) float64) {
			figure := table.Within(func(c VerifiedClock) *ClockFault { return c.Fault(kind) }, none)
			all = append(all, table.Column[VerifiedClock]{Key: kind + key, Value: figure(of)})
		}
		add("_count", 0, func(f *ClockFault) float64 { return float64(f.Count) })
		if kind == FaultFast {
			add("_ppm", table.Unknown, func(f *ClockFault) float64 { return f.PPM })
		} else {
			add("_worst_ns", table.Unknown, func(f *ClockFault) float64 { return table.Known(f.WorstNS) })
		}
	}
	return all
}()

// Lines returns a line for each clock.
func (v *Verification) Lines(*result.Document) [][]string {
	return table.Lines(v.Clocks, slices.Concat(verdictColumns, bracketColumns, faultColumns))
}
