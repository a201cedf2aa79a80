package ptrace

// The limits of one trace. A program that exceeds a limit is killed.
const (
	maxSpans = 100_000
	maxReads = 1_000_000
	maxMark  = 255 // bytes
)

// spans are the reads after each mark that another mark of the same thread followed, in the order of those.
type spans struct {
	all    []Span
	nReads int // of open spans too
}

func (s *spans) full() bool { return len(s.all) > maxSpans || s.nReads > maxReads }
