// Package remedy has the advice of findings: what to do about a cause, on which machines that works and is safe, the
// commands, the risk. Each remedy is an entry of a table, with its source.
package remedy

import (
	"maps"
	"slices"
	"sync"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
)

// A remedy is a way to resolve a finding, for the machines on which it works. A remedy that changes a machine, or holds
// for some machines only, is an entry of a table, so that a single test can check all of them on every recorded
// machine.
type remedy struct {
	// source is the file of the kernel with its commit or release, the vendor's page or the report. It is for the
	// reader of the table, and not printed.
	source string
	where  func(*machine) bool // where reports whether it works and is safe on a machine; nil means all machines
	adds   string              // a kernel parameter that it adds. It is not suggested if the parameter is already set.
	// removes returns the kernel parameters that it removes. It is suggested only if there are such parameters.
	removes func(*machine) []situation.Parameter
	// kernel is whether its commands act on the kernel, which a container shares with its host: there they belong on
	// the host.
	kernel   bool
	advice   string
	commands []string
	risk     string
	advise   func(*machine) string // advise, command and warn return the advice, the commands and the risk if they depend on the machine
	command  func(*machine) []string
	warn     func(*machine) string
}

const asRoot = "# as root:" // a remark on the next commands: a command that begins with # is not for the shell

// fits reports whether a remedy works on a machine, is safe there, and would change something.
func (r remedy) fits(s *machine) bool {
	switch {
	case r.onKernel() && (!s.OnLinux() || s.InGVisor()):
		return false
	case r.adds != "" && s.IsSet(r.adds), r.removes != nil && len(r.removes(s)) == 0:
		return false
	}
	return r.where == nil || r.where(s)
}

func (r remedy) onKernel() bool { return r.kernel || r.adds != "" || r.removes != nil }

func (r remedy) on(s *machine) result.Remedy {
	words := result.Remedy{Advice: r.advice, Commands: slices.Clone(r.commands), Risk: r.risk}
	if r.advise != nil {
		words.Advice = r.advise(s)
	}
	if r.command != nil {
		words.Commands = r.command(s)
	}
	if r.warn != nil {
		words.Risk = r.warn(s)
	}
	if r.adds != "" || r.removes != nil {
		var removed []situation.Parameter
		if r.removes != nil {
			removed = r.removes(s)
		}
		hint, commands := commandLine(s, r.adds, removed)
		words.Advice += hint
		words.Commands = append(words.Commands, commands...)
	}
	if r.onKernel() && s.InContainer() {
		words.Advice = "On the host of this container: " + words.Advice
		if len(words.Commands) > 0 {
			words.Commands = append([]string{"# on the host of this container:"}, words.Commands...)
		}
	}
	return words
}

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
