package runtimes

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
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
			call("now", wall, 300, 1), call("get", wall, 60, 1), call("seconds", wall, 10, 1e9), call("text", wall, 2000, 0),
			call("cpu", "cpu time", 900, 1),
			call("slow", monotonic, 80, 1), call("fast", monotonic, 50, 1e6), call("coarse", monotonic, 5, 4e6),
		}},
		{Name: "b", Calls: []MeasuredCall{call("other", wall, 100, 1)}},
	}}
	const slower = " Not counted (too coarse, or of unknown resolution): text@x, 2 µs."
	const use = "For the wall clock use get@x, 60 ns; now is 5.00× slower, 300 ns. For durations use fast, 50 ns."
	require.Equal(t, use+slower, s.answer(nil))
	s.Clocks = []SystemClock{{ID: "CLOCK_REALTIME@vdso", Latency: latency(20), KernelEntry: result.Never}}
	now := &s.Runtimes[0].Calls[0]
	now.Reads, now.KernelEntry = []string{"CLOCK_REALTIME"}, result.Never
	require.Contains(t, s.answer(nil), "300 ns, of which the clock takes 20.0 ns. For")
	s.Runtimes = s.Runtimes[1:]
	const saw = "other programs used 1.50 of 2 CPUs during the run"
	busy := &result.Document{Warnings: []result.Warning{{Kind: "backwards", Saw: "not this"}, {Kind: "load", Saw: saw}}}
	require.Equal(t, "For the wall clock use other@x, 100 ns. Noisy: "+saw+".", s.answer(busy))
	const none = "No call that returns the wall clock in steps of a millisecond or less was measured."
	coarse := &Runtimes{Runtimes: []MeasuredRuntime{{Name: "lua", Available: true}}}
	require.Equal(t, none, coarse.answer(&result.Document{}))
	require.Equal(t, "No runtime could be measured.", (&Runtimes{}).answer(&result.Document{}))
}

func TestOneLineForAllThatAreNotInPath(t *testing.T) {
	s := &Runtimes{Runtimes: []MeasuredRuntime{
		{Name: "lua", Reason: notInPath + "lua, lua5.4"},
		{Name: "java", Reason: "exit status 1"},
		{Name: "php", Reason: notInPath + "php"},
	}}
	want := []table.Fact{{Name: "java", Value: "exit status 1"}, {Name: "not in PATH", Value: "lua, php"}}
	require.Equal(t, want, s.Block(nil).Missing)
}

func TestRatiosSayWhichCallIsFaster(t *testing.T) {
	call := func(name string, ns, tickNS float64) MeasuredCall {
		return MeasuredCall{Call: name, Kind: wall, Latency: latency(ns), Resolution: &compare.Resolution{TickNS: tickNS}}
	}
	r := MeasuredRuntime{Calls: []MeasuredCall{call("time", 4, 1e9), call("get", 20, 1000), call("now", 60, 1000)}}
	require.Equal(t, "get 20.0 ns (now 3.00× slower, time [1 s] 5.00× faster)", r.fastest(wall))
}
