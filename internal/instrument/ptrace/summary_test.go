package ptrace

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSummarize(t *testing.T) {
	one, two, three := []string{"one"}, []string{"one", "two"}, []string{"one", "two", "three"}
	spans := func(all ...[]string) (spans []Span) {
		for _, reads := range all {
			spans = append(spans, Span{Reads: reads})
		}
		return spans
	}
	require.Equal(t, Call{Spans: 4, Reads: two, Usual: 2, Attributed: 2}, Summarize(spans(one, two, two, three)))
	require.Equal(t, Call{Spans: 2, Reads: one, Usual: 1, Attributed: 1}, Summarize(spans(three, one)))
	require.Equal(t, Call{Spans: 3, Usual: 2, Attributed: 2}, Summarize(spans(nil, nil, one)))
	require.Zero(t, Summarize(nil))

	// One call in ten may read more, and none less.
	usual := slices.Repeat([][]string{two}, 18)
	require.Equal(t, Call{Spans: 20, Reads: two, Usual: 18, Attributed: 19},
		Summarize(spans(append(usual, three, one)...)))
	require.Equal(t, Call{Spans: 21, Reads: two, Usual: 18, Attributed: 18},
		Summarize(spans(append(usual, three, three, three)...)))
}
