package kernellog

import (
	"slices"
	"strings"
	"sync"
)

// filters find the formats that a line may have, by the texts of their filters, in one pass over the line. To search it
// for each text took two thirds of the time for a long log.
type filters struct {
	short  []filter            // of less than head bytes
	long   map[string][]filter // by the first head bytes
	begins [1 << 16]bool       // whether a text begins with bytes of this hash
}

// A filter is a text in lower case, and the format whose matches have it, by its place in formats.
type filter struct {
	text   string
	format int
}

const head = 3 // bytes

func hashOf(text string) uint16 { return uint16(text[0])*961 + uint16(text[1])*31 + uint16(text[2]) }

var allFilters = sync.OnceValue(func() *filters {
	f := &filters{long: map[string][]filter{}}
	for i, format := range formats() {
		for _, text := range format.has {
			if len(text) < head {
				f.short = append(f.short, filter{text, i})
				continue
			}
			f.long[text[:head]] = append(f.long[text[:head]], filter{text, i})
			f.begins[hashOf(text)] = true
		}
	}
	return f
})

// candidates returns the formats that a text in lower case may have, in their order.
func candidates(small string) []*format {
	all := allFilters()
	var found []int
	for _, s := range all.short {
		if strings.Contains(small, s.text) {
			found = append(found, s.format)
		}
	}
	for i := range len(small) - head + 1 {
		if !all.begins[hashOf(small[i:])] {
			continue
		}
		for _, l := range all.long[small[i:i+head]] {
			if strings.HasPrefix(small[i:], l.text) {
				found = append(found, l.format)
			}
		}
	}
	slices.Sort(found)
	var may []*format
	for _, i := range slices.Compact(found) {
		may = append(may, formats()[i])
	}
	return may
}
