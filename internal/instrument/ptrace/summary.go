package ptrace

import "slices"

// A Call sums up the spans of a call.
type Call struct {
	// Spans is the number of spans.
	Spans int
	// Reads are the reads of the most frequent kind of span, and Usual is the number of such spans.
	Reads []string
	Usual int
	// Attributed is Usual plus the number of spans that have further reads among Reads, in order, if such spans are
	// few. A runtime reads clocks for itself now and then: the JVM while it compiles, Go's scheduler, and any runtime
	// at the first call. If Reads is empty, only spans without reads count.
	Attributed int
}

// mostlyUsual is the min share of usual spans at which the other reads count as the runtime's own.
const mostlyUsual = 0.9

// Summarize sums up the spans of a call.
func Summarize(spans []Span) Call {
	var kinds []Call // each of the spans with the same reads
	for _, span := range spans {
		i := slices.IndexFunc(kinds, func(k Call) bool { return slices.Equal(k.Reads, span.Reads) })
		if i < 0 {
			i, kinds = len(kinds), append(kinds, Call{Reads: span.Reads})
		}
		kinds[i].Usual++
	}
	var c Call
	for _, k := range kinds {
		if k.Usual > c.Usual || k.Usual == c.Usual && len(k.Reads) < len(c.Reads) {
			c = k
		}
	}
	c.Spans, c.Attributed = len(spans), c.Usual
	if float64(c.Usual) >= mostlyUsual*float64(c.Spans) && len(c.Reads) > 0 {
		c.Attributed = 0
		for _, k := range kinds {
			if contains(k.Reads, c.Reads) {
				c.Attributed += k.Usual
			}
		}
	}
	return c
}

func contains(all, some []string) bool {
	for _, read := range all {
		if len(some) > 0 && some[0] == read {
			some = some[1:]
		}
	}
	return len(some) == 0
}
