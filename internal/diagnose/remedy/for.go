package remedy

import (
	"maps"
	"slices"
	"sync"

	"github.com/timebench/timebench/internal/document/result"
)

// remedies are the remedies of all tables by name.
var remedies = sync.OnceValue(func() map[string]remedy {
	all := map[string]remedy{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
})

var tables = []map[string]remedy{
	sourceRemedies, tscRemedies, hostRemedies, timeRemedies, programRemedies, bsdRemedies, windowsRemedies,
	wakeRemedies,
}

// OfHypervisor stands for the remedies of the machine's hypervisor among the names of remedies.
const OfHypervisor = "of the hypervisor"

// For returns the named remedies that work on a machine and are safe there, each once, in order.
func For(s *machine, names ...string) []result.Remedy {
	var found []result.Remedy
	if i, h := slices.Index(names, OfHypervisor), HypervisorOf(s); i >= 0 && h != nil {
		names = slices.Concat(names[:i], h.remedies, names[i+1:])
	}
	for i, name := range names {
		if name == OfHypervisor {
			continue
		}
		r, known := remedies()[name]
		if !known {
			panic("no remedy " + name) // a mistake in a table, which a test finds
		}
		if !slices.Contains(names[:i], name) && r.fits(s) {
			found = append(found, r.on(s))
		}
	}
	return found
}
