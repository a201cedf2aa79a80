package counter

import (
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

const title = "The CPU's counter"

// Fact returns how the frequency was measured.
func (c *Counter) Fact(*result.Document) table.Fact {
	if c.Reference == "" {
		return table.Fact{}
	}
	return table.Fact{Name: "Counter",
		Value: "frequency measured for " + words.Duration(float64(c.SpanNS)) + " against " + c.Reference}
}

// Block returns the verdict with its reasons, and the sources of the frequency.
func (c *Counter) Block(*result.Document) table.Block {
	return table.Block{Title: title, Verdict: c.Answer(), Level: levels[c.Verdict], Grids: []table.Grid{
		table.Of(title+": may a program read it?", c.linesOf(reason), columns), table.Of(title+": its frequency by other sources", c.linesOf(source), columns),
	}}
}

var levels = map[string]table.Level{Yes: table.OK, No: table.Warn}

// What a line is.
const (
	verdict = "verdict"
	source  = "source"
	reason  = "reason"
)

// A line is the verdict, a source or a reason.
type line struct {
	what, name, evidence, conclusion string
	hz, bound                        float64
	ppm                              *float64
}

func (c *Counter) lines() []line {
	all := []line{{what: verdict, name: c.Clock, conclusion: c.Verdict, hz: c.HZ, bound: c.HZBound}}
	for _, r := range c.Sources {
		all = append(all, line{what: source, name: r.Name, hz: r.HZ, ppm: r.PPM})
	}
	for _, r := range c.Reasons {
		all = append(all, line{what: reason, evidence: r.Evidence, conclusion: r.Conclusion})
	}
	return all
}

func (c *Counter) linesOf(what string) (some []line) {
	for _, l := range c.lines() {
		if l.what == what {
			some = append(some, l)
		}
	}
	return some
}

var columns = []table.Column[line]{
	{Key: "what", Text: func(l line) string { return l.what }},
	{Name: "source", Key: "name", Left: true, Text: func(l line) string { return l.name }},
	{Name: "evidence", Key: "evidence", Left: true, Text: func(l line) string { return l.evidence }},
	{Name: "conclusion", Key: "conclusion", Text: func(l line) string { return l.conclusion }},
	{Name: "frequency", Key: "hz", Unit: MHz, Value: func(l line) float64 { return table.Known(l.hz) }},
	{Key: "hz_bound", Value: func(l line) float64 { return table.Known(l.bound) }},
	{Name: "difference", Key: "ppm", Unit: func(ppm float64) string { return words.SignedPPM(ppm) + " ppm" },
		Value: func(l line) float64 {
			if l.ppm == nil {
				return table.Unknown
			}
			return *l.ppm
		}},
}

// Lines returns a line for the verdict, for each source and for each reason.
func (c *Counter) Lines(*result.Document) [][]string { return table.Lines(c.lines(), columns) }

// changesOf returns what changed between two documents: the verdict, and the frequency.
func changesOf(old, new *Counter) section.Comparison {
	all := &section.Changes{}
	if old.Clock == new.Clock && old.Verdict != "" && new.Verdict != "" {
		all.Add(section.Change{Subject: old.Clock, What: "verdict", Old: section.Value{Value: old.Verdict},
			New: section.Value{Value: new.Verdict}}, old.Verdict != new.Verdict)
	}
	if old.Clock == new.Clock && old.HZ > 0 && new.HZ > 0 {
		changed := CounterRate{PPM: new.from(old.HZ)}
		all.Add(section.Change{Subject: old.Clock, What: "frequency", Old: section.Value{Value: old.HZ, Bound: old.HZBound},
			New: section.Value{Value: new.HZ, Bound: new.HZBound}, Unit: "Hz"}, old.Contradicts(changed))
	}
	return section.Comparison{Value: all, Block: all.Block(title, "figure", "", section.Columns("Counter", "figure",
		section.Part{Cell: func(v section.Value) string {
			if text, ok := v.Value.(string); ok {
				return text
			}
			return MHz(v.Number())
		}}))}
}

func (c *Counter) from(hz float64) *float64 {
	ppm := (c.HZ/hz - 1) * 1e6
	return &ppm
}
