package fleet

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

// Schema is the schema of the document of a fleet.
const Schema = "timebench-fleet/1"

// A Fleet is the comparison of many machines.
type Fleet struct {
	Schema      string    `json:"schema"`
	GeneratedAt time.Time `json:"generated_at"`
	// Machines is the number of machines, Odd the number of odd machines.
	Machines int `json:"machines"`
	Odd      int `json:"odd"`
	// LeftOut is the number of results that do not count: their hosts have others.
	LeftOut int `json:"left_out,omitempty"`
	// Groups are the machines that should be alike, the largest group first.
	Groups []Group `json:"groups"`
	// Findings are what doctor found, by the number of machines that have it.
	Findings []FoundOn `json:"findings,omitempty"`
	// Unread are the results that could not be read, with the reasons.
	Unread []Unread `json:"unread,omitempty"`
}

// A FoundOn is a finding of doctor and its number of machines.
type FoundOn struct {
	Finding
	Machines int `json:"machines"`
}

// Of compares the machines of results.
func Of(results []Machine, unread []Unread, now time.Time) *Fleet {
	machines := oncePerHost(results)
	f := &Fleet{Schema: Schema, GeneratedAt: now.UTC().Truncate(time.Second), Machines: len(machines),
		LeftOut: len(results) - len(machines), Groups: Groups(machines), Unread: unread}
	for _, m := range f.all() {
		if len(m.Reasons) > 0 {
			f.Odd++
		}
	}
	f.Findings = foundOn(machines)
	return f
}

// oncePerHost returns one result of each host: the newest, of those with costs if there are any. Without the label
// host, each result is a machine of its own.
func oncePerHost(results []Machine) (machines []Machine) {
	at := map[string]int{}
	for _, r := range results {
		i, again := at[r.host]
		if r.host == "" || !again {
			at[r.host], machines = len(machines), append(machines, r)
			continue
		}
		timed, before := len(r.Clocks) > 0, len(machines[i].Clocks) > 0
		if timed && !before || timed == before && r.at.After(machines[i].at) {
			machines[i] = r
		}
	}
	return machines
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

// Differing returns the sentence that names the odd machines; "" without any.
func (f *Fleet) Differing() string {
	return f.naming("differs from its group", "differ from their group",
		func(m *Machine) bool { return len(m.Reasons) > 0 })
}

// Faulty returns the sentence that names the machines with an error of doctor, or also a warning; "" without any.
func (f *Fleet) Faulty(warnings bool) string {
	what := "an error"
	if warnings {
		what += " or a warning"
	}
	return f.naming("has "+what, "have "+what, func(m *Machine) bool {
		return slices.ContainsFunc(m.Findings,
			func(found Finding) bool { return warnings || found.Severity == result.Error })
	})
}

// naming returns a sentence that names the first matching machines, with the verb for one machine and for many.
func (f *Fleet) naming(one, many string, is func(*Machine) bool) string {
	var names []string
	for _, m := range f.all() {
		if is(m) {
			names = append(names, m.Name)
		}
	}
	number := len(names)
	switch number {
	case 0:
		return ""
	case 1:
		many = one
	}
	const most = 3
	if rest := number - most; rest > 1 {
		names = append(names[:most], words.Count(float64(rest))+" more")
	}
	return fmt.Sprintf("%s of %s %s: %s", words.Count(float64(number)), words.Plural(f.Machines, "machine"),
		many, words.List(names))
}

// foundOn counts the findings, the most severe and the most common first. The title comes from the first machine.
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
		return cmp.Or(strings.Compare(a.Severity, b.Severity), cmp.Compare(b.Machines, a.Machines),
			strings.Compare(a.Kind, b.Kind))
	})
	return all
}

// JSON returns the document of the fleet.
func (f *Fleet) JSON() ([]byte, error) { return json.Marshal(f) }
