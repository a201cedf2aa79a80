package ptrace

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSummarize(t *testing.T) {
	one, two, three := []string{"one"}, []string{"one", "two"}, []string{"one", "two", "three"}
	require.Equal(t, []Call{
		{Mark: "b", Spans: 4, Reads: two, Usual: 2, Attributed: 2},
		{Mark: "a", Spans: 2, Reads: one, Usual: 1, Attributed: 1},
		{Mark: "nothing", Spans: 3, Usual: 2, Attributed: 2},
	}, Summarize([]Span{
		{Mark: "b", Reads: one}, {Mark: "a", Reads: three}, {Mark: "b", Reads: two}, {Mark: "nothing"},
		{Mark: "a", Reads: one}, {Mark: "b", Reads: two}, {Mark: "b", Reads: three},
		{Mark: "nothing"}, {Mark: "nothing", Reads: one},
	}))
	require.Empty(t, Summarize(nil))

	// One call in ten may read more, and none less.
	spans := slices.Repeat([]Span{{Mark: "a", Reads: two}}, 18)
	require.Equal(t, []Call{{Mark: "a", Spans: 20, Reads: two, Usual: 18, Attributed: 19}},
		Summarize(append(spans, Span{Mark: "a", Reads: three}, Span{Mark: "a", Reads: one})))
	require.Equal(t, []Call{{Mark: "a", Spans: 21, Reads: two, Usual: 18, Attributed: 18}},
		Summarize(append(spans, Span{Mark: "a", Reads: three}, Span{Mark: "a", Reads: three},
			Span{Mark: "a", Reads: three})))
}
