package render

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/test/made"
)

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
	// JSON repeats its keys: a group with an odd machine and a group that is too small are enough. The other formats use the
	// writers of documents.
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
