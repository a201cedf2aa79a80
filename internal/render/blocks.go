package render

import (
	"slices"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/section"
	"github.com/timebench/timebench/internal/table"
)

// sectionsOnly reports whether nothing was measured but sections.
func sectionsOnly(d *result.Document) bool {
	return len(d.Sections) > 0 &&
		!slices.ContainsFunc(d.Clocks, func(c result.Clock) bool { return c.Latency != nil || len(c.Throughput) > 0 })
}

// blocks are those of the sections that a document holds.
func blocks(d *result.Document) []table.Block {
	var all []table.Block
	for _, s := range section.In(d) {
		all = append(all, s.Block(d))
	}
	return all
}

// block writes a block into the page.
func (p *page) block(of table.Block) {
	if !of.HasRows() {
		p.element("h2", "", of.Title)
	}
	for _, g := range of.Grids {
		p.grid(g)
	}
	for _, line := range of.Faults {
		p.element("p", "warning", line)
	}
	for _, line := range of.Notes {
		p.element("p", "note", line)
	}
	if of.Verdict != "" {
		p.element("p", "", of.Verdict)
	}
}
