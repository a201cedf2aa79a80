package fleet

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Schema is the schema of the document of a fleet.
const Schema = "timebench-fleet/1"

// A Fleet is the comparison of many machines.
type Fleet struct {
	Schema      string    `json:"schema"`
	GeneratedAt time.Time `json:"generated_at"`
	// Machines is the number of machines, and Odd the number of odd ones in their group.
	Machines int `json:"machines"`
	Odd      int `json:"odd"`
	// Groups are the machines that should be alike, the largest group first.
	Groups []Group `json:"groups"`
	// Findings are what doctor found, by the number of machines that have it.
	Findings []FoundOn `json:"findings,omitempty"`
	// Unread are the results that could not be read, with the reasons.
	Unread []Unread `json:"unread,omitempty"`
}

// A FoundOn is a finding of doctor and on how many machines it is.
type FoundOn struct {
	Finding
	Machines int `json:"machines"`
}

// Of compares the machines.
func Of(machines []Machine, unread []Unread, now time.Time) *Fleet {
	f := &Fleet{Schema: Schema, GeneratedAt: now.UTC().Truncate(time.Second), Machines: len(machines), Groups: Groups(machines), Unread: unread}
	for _, m := range f.all() {
		if len(m.Reasons) > 0 {
			f.Odd++
		}
	}
	f.Findings = foundOn(machines)
	return f
}

func (f *Fleet) all() []*Machine {
	var all []*Machine
	for g := range f.Groups {
		for m := range f.Groups[g].Machines {
			all = append(all, &f.Groups[g].Machines[m])
		}
	}
	return all
}

// TooFew reports whether no machine could be judged.
func (f *Fleet) TooFew() bool {
	return !slices.ContainsFunc(f.Groups, func(g Group) bool { return !g.TooFew })
}

// Has reports whether a machine has a finding of one of the severities.
func (f *Fleet) Has(severities ...string) bool {
	return slices.ContainsFunc(f.Findings, func(found FoundOn) bool { return slices.Contains(severities, found.Severity) })
}

// foundOn counts the findings, the most severe and the most common first. The title is that of the first machine.
func foundOn(machines []Machine) []FoundOn {
	var all []FoundOn
	at := map[string]int{}
	for i := range machines {
		for _, f := range machines[i].Findings {
			key := f.Severity + " " + f.Kind
			k, ok := at[key]
			if !ok {
				k = len(all)
				at[key], all = k, append(all, FoundOn{Finding: f})
			}
			all[k].Machines++
		}
	}
	slices.SortStableFunc(all, func(a, b FoundOn) int {
		return cmp.Or(strings.Compare(a.Severity, b.Severity), cmp.Compare(b.Machines, a.Machines), strings.Compare(a.Kind, b.Kind))
	})
	return all
}

// JSON returns the document of the fleet.
func (f *Fleet) JSON() ([]byte, error) { return json.Marshal(f) }
