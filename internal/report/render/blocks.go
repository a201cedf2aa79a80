package render

import (
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
)

// blocks returns the blocks of the sections of a document, and what of all of them could not be
// measured.
func blocks(d *result.Document) (all []table.Block, missing []table.Fact) {
	for _, s := range section.In(d) {
		block := s.Block(d)
		all, missing = append(all, block), append(missing, block.Missing...)
	}
	return all, missing
}

// block writes a block.
func (p *page) block(of table.Block) {
	if !of.HasRows() && of.Title != "" {
		p.element("h2", "", of.Title)
	}
	for _, g := range of.Grids {
		p.grid(g)
	}
	p.facts(of.Facts)
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
