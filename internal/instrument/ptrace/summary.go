package ptrace

import "slices"

// A Call sums up the spans with the same mark.
type Call struct {
	Mark string
	// Spans is the number of spans with this mark.
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

// Summarize returns a call for each mark, in the order of the first spans.
func Summarize(spans []Span) []Call {
	var calls []Call
	kinds := map[string][]kind{}
	for _, span := range spans {
		all := kinds[span.Mark]
		if all == nil {
			calls = append(calls, Call{Mark: span.Mark})
		}
		i := slices.IndexFunc(all, func(k kind) bool { return slices.Equal(k.reads, span.Reads) })
		if i < 0 {
			i, all = len(all), append(all, kind{reads: span.Reads})
		}
		all[i].spans++
		kinds[span.Mark] = all
	}
	for i := range calls {
		c := &calls[i]
		attributed := 0
		for _, k := range kinds[c.Mark] {
			c.Spans += k.spans
			if k.spans > c.Usual || k.spans == c.Usual && len(k.reads) < len(c.Reads) {
				c.Reads, c.Usual = k.reads, k.spans
			}
		}
		for _, k := range kinds[c.Mark] {
			if contains(k.reads, c.Reads) {
				attributed += k.spans
			}
		}
		c.Attributed = c.Usual
		if float64(c.Usual) >= mostlyUsual*float64(c.Spans) && len(c.Reads) > 0 {
			c.Attributed = attributed
		}
	}
	return calls
}

func contains(all, some []string) bool {
	for _, read := range all {
		if len(some) > 0 && some[0] == read {
			some = some[1:]
		}
	}
	return len(some) == 0
}

// A kind of span has the same reads.
type kind struct {
	reads []string
	spans int
}
