package runtimes

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/compare"
)

func TestValuesThatGoBackAreReported(t *testing.T) {
	r := MeasuredRuntime{Name: "x", Calls: []MeasuredCall{
		{Call: "a", Resolution: &compare.Resolution{TickNS: 1}},
		{Call: "b", Resolution: &compare.Resolution{TickNS: 1, Backwards: 3, WorstBackwardsNS: 50}},
	}}
	require.Equal(t, []string{"x: values went back: b (3 times, at most by 50 ns)."}, r.notes())
}

func TestPreloadedLibrariesAreReported(t *testing.T) {
	const effect = " is preloaded and stands in for the clock: it defines functions that return the time. "
	s := &Runtimes{Preloaded: []string{"/lib/a.so (/etc/ld.so.preload)", "/lib/b.so (LD_PRELOAD)"}}
	require.Equal(t, []string{
		"/lib/a.so (/etc/ld.so.preload)" + effect + "These figures include it, except for static programs.",
		"/lib/b.so (LD_PRELOAD)" + effect +
			"It was not passed on: these figures are without it, but your own programs run with it.",
	}, s.Block(nil).Notes)
}
