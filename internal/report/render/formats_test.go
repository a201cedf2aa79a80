package render

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/test/made"
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
			checked(21.7, unsure, small), "warn: unsynchronised: the wall clock is not synchronised",
			"WARNING - unsynchronised: the wall clock is not synchronised | 'CLOCK_MONOTONIC@vdso'=0.0217us;;;0",
		},
		{
			checked(644, slow, unsure), "error: kernel-entry (and 1 more): " + slow.Title,
			"CRITICAL - kernel-entry (and 1 more): " + slow.Title + " | 'CLOCK_MONOTONIC@vdso'=0.644us;;;0",
		},
		{checked(0), "nothing was measured, so the cost of the clocks is unknown",
			"UNKNOWN - nothing was measured, so the cost of the clocks is unknown"},
		{
			checked(0, result.Finding{Kind: "over-limit", Severity: result.Error,
				Title: "no everyday clock was timed"}), "error: over-limit: no everyday clock was timed",
			"UNKNOWN - over-limit: no everyday clock was timed",
		},
		{
			checked(0, result.Finding{Kind: "over-limit", Severity: result.Error, Title: "no everyday clock was timed"},
				unsure), "error: over-limit (and 1 more): no everyday clock was timed",
			"WARNING - unsynchronised: the wall clock is not synchronised",
		},
		{checked(0, slow), "error: kernel-entry: " + slow.Title,
			"CRITICAL - kernel-entry: " + slow.Title},
		{
			checked(1, result.Finding{Kind: "a|b", Severity: result.Error, Title: "c\nd\x1b[2J"}), "error: a|b: c d [2J",
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

// aFleet returns a fleet with every part: odd machines, groups, findings, and files that could not be read.
func aFleet() *fleet.Fleet {
	documents, _ := made.Fleet(20, 3, 3)
	var machines []fleet.Machine
	for i, d := range documents {
		if i%3 == 0 && d.Section("verification") == nil { // of the first group, the one with a fault is enough
			continue
		}
		compare.Into(d).Clocks = compare.Of(d).Clocks[1:2]
		if i == 1 {
			d.Host.CPU.Model = "another" // a group of its own
		}
		machines = append(machines, fleet.MachineOf("results/"+d.Label("host")+".json", d, diagnose.Findings(d)))
	}
	slices.Reverse(machines) // which are shown by name
	return fleet.Of(machines,
		[]fleet.Unread{{File: "results/bad.json", Reason: "has no schema: not a timebench document"}},
		time.Date(2026, 11, 23, 3, 0, 0, 0, time.UTC))
}

func TestGoldenFleet(t *testing.T) {
	f := aFleet()
	// JSON repeats its keys: a group with an odd machine and a group that is too small are enough. The other formats use
	// the writers of documents.
	few := *f
	few.Groups = []fleet.Group{f.Groups[0], f.Groups[2]}
	few.Groups[0].Machines = few.Groups[0].Machines[3:]
	for name, of := range map[string]*fleet.Fleet{"table": f, "csv": f, "json": &few} {
		format, _ := Named(FleetFormats, name)
		golden(t, "fleet."+name, format.Write, of)
	}
	for name, empty := range map[string]*fleet.Fleet{"nothing": fleet.Of(nil, nil, time.Unix(0, 0)),
		"unread only": fleet.Of(nil, f.Unread, time.Unix(0, 0))} {
		for _, format := range FleetFormats {
			require.NoError(t, format.Write(&bytes.Buffer{}, empty), "%s as %s", name, format.Name)
		}
	}
}
