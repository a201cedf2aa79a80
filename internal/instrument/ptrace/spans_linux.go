//go:build amd64 || arm64

package ptrace

// Bounds of what one trace keeps in memory. A program that exceeds them is killed.
const (
	maxSpans = 100_000
	maxReads = 1_000_000
	maxMark  = 255 // bytes
)

// none is the number of no span.
const none = -1

// spans collects what was read after each mark, in the order of the marks.
type spans struct {
	maxSpans, maxReads int

	all    []openSpan
	nReads int
}

type openSpan struct {
	Span
	closed bool
}

// open closes the span of a thread, if it has one, and returns the number of a new one.
func (s *spans) open(previous int, mark string) int {
	if previous != none {
		s.all[previous].closed = true
	}
	s.all = append(s.all, openSpan{Span: Span{Mark: mark}})
	return len(s.all) - 1
}

func (s *spans) add(span int, read string) {
	s.all[span].Reads = append(s.all[span].Reads, read)
	s.nReads++
}

// full reports whether there are more spans or reads than may be kept.
func (s *spans) full() bool { return len(s.all) > s.maxSpans || s.nReads > s.maxReads }

// marked returns the spans that another mark closed. An open one is that of a last mark, or of a
// thread that ended meanwhile.
func (s *spans) marked() []Span {
	var marked []Span
	for _, span := range s.all {
		if span.closed {
			marked = append(marked, span.Span)
		}
	}
	return marked
}
