package counter

import (
	"math"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

const title = "The CPU's counter"

// Fact returns nothing: the reasons name the reference of the frequency.
func (*Counter) Fact(*result.Document) table.Fact { return table.Fact{} }

// Block returns the verdict with its reasons, and the sources of the frequency.
func (c *Counter) Block(*result.Document) table.Block {
	all := c.lines()
	reasons := len(all) - len(c.Reasons)
	return table.Block{Title: title, Verdict: c.Answer(), Level: levels[c.Verdict], Grids: []table.Grid{
		table.Of(title+": may a program read it?", all[reasons:], columns),
		table.Of(title+": its frequency by other sources", all[1:reasons], columns),
	}}
}

var levels = map[string]table.Level{Yes: table.OK, No: table.Warn}

// A line is the verdict, a source or a reason.
type line struct {
	what, name, evidence, conclusion string
	hz, bound, ppm                   float64
}

func (c *Counter) lines() []line {
	all := []line{{what: "verdict", name: c.Clock, conclusion: c.Verdict, hz: c.HZ, bound: c.HZBound}}
	for _, r := range c.Sources {
		all = append(all, line{what: "source", name: r.Name, hz: r.HZ, ppm: r.PPM})
	}
	for _, r := range c.Reasons {
		all = append(all, line{what: "reason", evidence: r.Evidence, conclusion: r.Conclusion})
	}
	return all
}

var columns = []table.Column[line]{
	{Key: "what", Text: func(l line) string { return l.what }},
	{Name: "source", Key: "name", Left: true, Text: func(l line) string { return l.name }},
	{Name: "evidence", Key: "evidence", Left: true, Text: func(l line) string { return l.evidence }},
	{Name: "conclusion", Key: "conclusion", Text: func(l line) string { return l.conclusion }},
	{Name: "frequency", Key: "hz", Unit: MHz, Value: func(l line) float64 { return table.Known(l.hz) }},
	{Key: "hz_bound", Value: func(l line) float64 { return table.Known(l.bound) }},
	{Name: "difference", Key: "ppm", Unit: func(ppm float64) string { return words.SignedPPM(ppm) + " ppm" },
		Value: func(l line) float64 { return table.Known(l.ppm) }},
}

// Lines returns a line for the verdict, for each source and for each reason.
func (c *Counter) Lines(*result.Document) [][]string { return table.Lines(c.lines(), columns) }

// changesOf returns whether the verdict changed, or the frequency by more than NTP can correct and both bounds.
func changesOf(old, new *Counter) section.Comparison {
	all := &section.Changes{}
	if old.Clock == new.Clock && old.Verdict != "" {
		value := func(c *Counter) section.Value { return section.Value{Value: c.Verdict, Detail: c.Frequency()} }
		moved := old.HZ > 0 && new.HZ > 0 &&
			math.Abs(new.HZ/old.HZ-1)*1e6 > maxPPM+old.boundPPM()+new.boundPPM()
		all.Add(section.Change{Subject: old.Clock, What: "verdict", Old: value(old), New: value(new)},
			old.Verdict != new.Verdict || moved)
	}
	return section.Comparison{Value: all, Block: all.Block(title, "verdict", "", section.Columns("Counter", "",
		section.Part{Cell: func(v section.Value) string { return strings.Join(words.Present(v.Text(), v.Detail), ", ") }}))}
}
