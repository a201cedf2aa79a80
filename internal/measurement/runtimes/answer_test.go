package runtimes

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/compare"
)

func TestAnswerNamesTheSlowestWallClock(t *testing.T) {
	call := func(name, kind string, ns, tickNS float64) MeasuredCall {
		return MeasuredCall{ID: name + "@x", Call: name, Kind: kind, Latency: &compare.Latency{MedianNS: ns}, Resolution: &compare.Resolution{TickNS: tickNS, FinerThanRead: tickNS == 1}}
	}
	s := &Runtimes{Runtimes: []MeasuredRuntime{
		{Name: "a", Calls: []MeasuredCall{call("now", wall, 300, 1), call("get", wall, 60, 1), call("seconds", wall, 10, 1e9), call("text", wall, 2000, 0), call("cpu", "cpu time", 900, 1)}},
		{Name: "b", Calls: []MeasuredCall{call("other", wall, 100, 1)}},
	}}
	require.Equal(t, "The slowest wall clock here: now@x, 300 ns, 5.00 times get. Slower, with a coarse or unknown resolution: text@x, 2 µs.", s.answer())
	s.Runtimes = s.Runtimes[1:]
	require.Equal(t, "The slowest wall clock here: other@x, 100 ns.", s.answer())
	require.Equal(t, "No call that returns the wall clock in steps of a millisecond or less was measured.", (&Runtimes{}).answer())
}
