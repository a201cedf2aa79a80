package watch

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

func TestPageShowsTheState(t *testing.T) {
	state := &State{
		Document: &result.Document{
			Host:     result.Host{ClockSource: &result.ClockSource{Current: "hpet\x1b[2J"}},
			Findings: []result.Finding{{Severity: result.Error, Title: "reads enter the kernel"}},
		},
		Examined: true, QuietNS: map[string]float64{"CLOCK_MONOTONIC@vdso": 644}, TimeSync: &result.TimeSync{},
		Turns: 2, Events: map[string]int64{WallClockStep: 1}, Started: time.Unix(0, 0), LastTurn: time.Unix(60, 0),
	}
	text := state.text()
	for _, want := range []string{
		"Clock source: hpet", "CLOCK_MONOTONIC@vdso: 644.0 ns/read\n", "Wall clock: not synchronised\n", "error: reads enter the kernel\n",
		"Since 1970-01-01T00:00:00Z: 2 turns, 0 changes of the clock source, 1 step of the wall clock\n", "Last turn: 1970-01-01T00:01:00Z\n",
		"/metrics\n", "/healthz\n",
	} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "\x1b")
	require.NotContains(t, text, "No finding")
}

// docs/watch.md has every kind of event, and every metric.
func TestDocs(t *testing.T) {
	content, err := os.ReadFile("../../docs/watch.md")
	require.NoError(t, err)
	for _, kind := range Kinds {
		require.Contains(t, string(content), "`"+kind+"`")
	}
	for _, f := range (&State{TimeSync: &result.TimeSync{Synchronised: true}}).Metrics() {
		require.Contains(t, string(content), "`"+f.Name)
	}
}
