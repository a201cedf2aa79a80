package runtimes

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/table"
)

func TestAnswerNamesTheCallToUse(t *testing.T) {
	call := func(name, kind string, ns, tickNS float64) MeasuredCall {
		resolution := &compare.Resolution{TickNS: tickNS, FinerThanRead: tickNS == 1}
		return MeasuredCall{ID: name + "@x", Call: name, Kind: kind, Latency: latency(ns), Resolution: resolution}
	}
	s := &Runtimes{Runtimes: []MeasuredRuntime{
		{Name: "a", Calls: []MeasuredCall{
			call("now", wall, 300, 1), call("get", wall, 60, 1), call("seconds", wall, 10, 1e9), call("text", wall,
				2000, 0),
			call("cpu", "cpu time", 900, 1),
			call("slow", monotonic, 80, 1), call("fast", monotonic, 50, 1e6), call("coarse", monotonic, 5, 4e6),
		}},
		{Name: "b", Calls: []MeasuredCall{call("other", wall, 100, 1)}},
	}}
	const several = "With the fastest call of each runtime, reading the wall clock takes 60 ns (x) to 100 ns (x); the slowest call is text@x, 2 µs."
	require.Equal(t, several, s.answer())
	one := &Runtimes{Runtimes: s.Runtimes[:1]}
	require.Equal(t, "For the wall clock use get@x, 60 ns (text is 33.3× slower, 2 µs); for durations fast, 50 ns.",
		one.answer())
	text := call("text", wall, 200, 1e9)
	text.ID = "text@php"
	one.Runtimes = []MeasuredRuntime{s.Runtimes[1], {Name: "php", Calls: []MeasuredCall{text}}}
	require.Equal(t, "For the wall clock use other@x, 100 ns (text@php is 2.00× slower, 200 ns).", one.answer())
	one.Runtimes[1].TimedBy = cpuTime
	require.Equal(t, "For the wall clock use other@x, 100 ns.", one.answer(), "no wall time")
	one.Runtimes = []MeasuredRuntime{{Name: "lua", TimedBy: cpuTime, Available: true, Calls: s.Runtimes[0].Calls}}
	require.Regexp(t, "^No call that returns the wall clock", one.answer())
	one.Runtimes = s.Runtimes[1:]
	require.Equal(t, "For the wall clock use other@x, 100 ns.", one.answer())
	const none = "No call that returns the wall clock in steps of a millisecond or less was measured."
	coarse := &Runtimes{Runtimes: []MeasuredRuntime{{Name: "lua", Available: true}}}
	require.Equal(t, none, coarse.answer())
	require.Equal(t, "No runtime could be measured.", (&Runtimes{}).answer())
}

func TestOneLineForAllThatAreNotInPath(t *testing.T) {
	s := &Runtimes{Runtimes: []MeasuredRuntime{
		{Name: "lua", Reason: notInPath + "lua, lua5.4"},
		{Name: "java", Reason: "exit status 1"},
		{Name: "php", Reason: notInPath + "php"},
	}}
	chosen := s.Block(nil)
	require.Empty(t, chosen.Missing)
	require.Equal(t, []string{"Not measured: lua (not found in PATH: lua, lua5.4), java (exit status 1), php (not found in PATH: php)."},
		chosen.Faults, "the user named them")
	for len(s.Runtimes) < len(Names()) {
		s.Runtimes = append(s.Runtimes, MeasuredRuntime{Name: "go", Available: true})
	}
	want := []table.Fact{{Name: "java", Value: "exit status 1"}, {Name: "not in PATH", Value: "lua, php"}}
	require.Equal(t, want, s.Block(nil).Missing)
	require.Empty(t, s.Block(nil).Faults)
}
