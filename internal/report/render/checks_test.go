package render

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// checked returns a document with these findings, and with the latency of a clock if costNS is above 0.
func checked(costNS float64, findings ...result.Finding) *result.Document {
	d := &result.Document{Schema: result.Schema, Findings: findings}
	c := compare.Clock{ID: "CLOCK_MONOTONIC@vdso"}
	if costNS > 0 {
		c.Available, c.Latency = true, compare.LatencyOf([]float64{costNS}, nil)
	}
	d.Put(&compare.Costs{Clocks: []compare.Clock{c}})
	return d
}

var (
	slow = result.Finding{Kind: "kernel-entry", Severity: result.Error,
		Title: "reads of the fine clocks enter the kernel, because the clock source is hpet"}
	unsure = result.Finding{Kind: "unsynchronised", Severity: result.Warn, Title: "the wall clock is not synchronised"}
	small  = result.Finding{Kind: "single-cpu", Severity: result.Note, Title: "one CPU"}
)

func TestFormatsOfHealthChecks(t *testing.T) {
	for _, c := range []struct {
		d            *result.Document
		line, nagios string
	}{
		{
			checked(21.7), "nothing at or above --fail-on; CLOCK_MONOTONIC@vdso 21.7 ns/read",
			"OK - nothing at or above --fail-on; CLOCK_MONOTONIC@vdso 21.7 ns/read | 'CLOCK_MONOTONIC@vdso'=0.0217us;;;0",
		},
		{
			checked(21.7, small), "nothing at or above --fail-on; CLOCK_MONOTONIC@vdso 21.7 ns/read",
			"OK - nothing at or above --fail-on; CLOCK_MONOTONIC@vdso 21.7 ns/read | 'CLOCK_MONOTONIC@vdso'=0.0217us;;;0",
		},
		{
			checked(21.7, unsure, small), "unsynchronised: the wall clock is not synchronised",
			"WARNING - unsynchronised: the wall clock is not synchronised | 'CLOCK_MONOTONIC@vdso'=0.0217us;;;0",
		},
		{
			checked(644, slow, unsure), "kernel-entry (and 1 more): " + slow.Title,
			"CRITICAL - kernel-entry (and 1 more): " + slow.Title + " | 'CLOCK_MONOTONIC@vdso'=0.644us;;;0",
		},
		{checked(0), "nothing was measured, so the cost of the clocks is unknown",
			"UNKNOWN - nothing was measured, so the cost of the clocks is unknown"},
		{
			checked(0, result.Finding{Kind: "over-limit", Severity: result.Error,
				Title: "no everyday clock was timed"}), "over-limit: no everyday clock was timed",
			"UNKNOWN - over-limit: no everyday clock was timed",
		},
		{
			checked(0, result.Finding{Kind: "over-limit", Severity: result.Error, Title: "no everyday clock was timed"},
				unsure), "over-limit (and 1 more): no everyday clock was timed",
			"WARNING - unsynchronised: the wall clock is not synchronised",
		},
		{checked(0, slow), "kernel-entry: " + slow.Title,
			"CRITICAL - kernel-entry: " + slow.Title},
		{
			checked(1, result.Finding{Kind: "a|b", Severity: result.Error, Title: "c\nd\x1b[2J"}), "a|b: c d [2J",
			"CRITICAL - a/b: c d [2J | 'CLOCK_MONOTONIC@vdso'=0.001us;;;0",
		},
	} {
		var line, nagios bytes.Buffer
		require.NoError(t, Line(&line, Clean(c.d)))
		require.NoError(t, Nagios(&nagios, Clean(c.d)))
		require.Equal(t, c.line+"\n", line.String())
		require.Equal(t, c.nagios+"\n", nagios.String())
	}
}
