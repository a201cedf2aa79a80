package ptrace

// Bounds of the memory of one trace. A program that exceeds them is killed.
const (
	maxSpans = 100_000
	maxReads = 1_000_000
	maxMark  = 255 // bytes
)

// spans collects the reads after each mark, in the order of the marks.
type spans struct {
	all    []*openSpan
	nReads int
}

type openSpan struct {
	Span
	closed bool
}

// open closes the span of a thread, if it has one, and returns a new one.
func (s *spans) open(previous *openSpan, mark string) *openSpan {
	if previous != nil {
		previous.closed = true
	}
	span := &openSpan{Span: Span{Mark: mark}}
	s.all = append(s.all, span)
	return span
}

func (s *spans) add(span *openSpan, read string) {
	span.Reads = append(span.Reads, read)
	s.nReads++
}

func (s *spans) full() bool { return len(s.all) > maxSpans || s.nReads > maxReads }

// marked returns the spans that another mark closed. An open span follows the last mark of a
// thread.
func (s *spans) marked() []Span {
	var marked []Span
	for _, span := range s.all {
		if span.closed {
			marked = append(marked, span.Span)
		}
	}
	return marked
}
