package diagnose

import (
	"maps"
	"slices"
	"sync"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
)

// A remedy is one way to resolve a finding, for the machines on which it works. All remedies
// that change a machine, or that hold for some machines only, are entries of the tables of
// remedies, so that one test can check each of them on every recorded machine.
type remedy struct {
	// source is where the remedy is from: a file of the kernel with its commit or release, a
	// page of the vendor, a report. It is for the reader of the table, and not printed.
	source string
	// where are the conditions under which it works and is safe. All must hold.
	where []condition
	// adds is a kernel parameter that it adds. It is not suggested where it is set already.
	adds string
	// removes returns the kernel parameters that it removes. It is suggested only where there
	// are some.
	removes func(*result.Document) []parameter
	// kernel is whether its commands act on the kernel, which a container shares with its
	// host: in a container they belong on the host.
	kernel bool
	advice string
	// advise returns the advice where it depends on the machine, in place of advice.
	advise   func(*result.Document) string
	commands []string
	// command returns the commands where they depend on the machine, in place of commands.
	command func(*result.Document) []string
	risk    string
	// warn returns the risk where it depends on the machine, in place of risk.
	warn func(*result.Document) string
}

// A condition reports whether a remedy can be suggested for a document's machine.
type condition func(*result.Document) bool

var tables = []map[string]remedy{sourceRemedies, tscRemedies, hostRemedies, timeRemedies, programRemedies, bsdRemedies, windowsTimeRemedies}

// remedies are the remedies of all tables by name.
var remedies = sync.OnceValue(func() map[string]remedy {
	all := map[string]remedy{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
})

// advise returns the named remedies that work on a document's machine and are safe there, each once, in order.
func advise(d *result.Document, names ...string) []result.Remedy {
	var found []result.Remedy
	if i, h := slices.Index(names, ofHypervisors), hypervisorOf(d); i >= 0 && h != nil {
		names = slices.Concat(names[:i], h.remedies, names[i+1:])
	}
	for i, name := range names {
		if name == ofHypervisors {
			continue
		}
		r, known := remedies()[name]
		if !known {
			panic("no remedy " + name) // a mistake in a table, which a test finds
		}
		if !slices.Contains(names[:i], name) && r.fits(d) {
			found = append(found, r.on(d))
		}
	}
	return found
}

// ofHypervisors stands for the remedies of the machine's hypervisor among the names of remedies.
const ofHypervisors = "of the hypervisor"

// fits reports whether a remedy works on a document's machine, is safe there, and would
// change something.
func (r remedy) fits(d *result.Document) bool {
	if r.onKernel() && (!onLinux(d) || inGVisor(d)) || r.adds != "" && isSet(d, r.adds) || r.removes != nil && len(r.removes(d)) == 0 {
		return false
	}
	return !slices.ContainsFunc(r.where, func(holds condition) bool { return !holds(d) })
}

func (r remedy) onKernel() bool { return r.kernel || r.adds != "" || r.removes != nil }

func (r remedy) on(d *result.Document) result.Remedy {
	words := result.Remedy{Advice: r.advice, Commands: slices.Clone(r.commands), Risk: r.risk}
	if r.advise != nil {
		words.Advice = r.advise(d)
	}
	if r.command != nil {
		words.Commands = r.command(d)
	}
	if r.warn != nil {
		words.Risk = r.warn(d)
	}
	if r.adds != "" || r.removes != nil {
		var removed []parameter
		if r.removes != nil {
			removed = r.removes(d)
		}
		hint, commands := commandLine(d, r.adds, removed)
		words.Advice += hint
		words.Commands = append(words.Commands, commands...)
	}
	if r.onKernel() && inContainer(d) {
		words.Advice = "On the host of this container: " + words.Advice
		if len(words.Commands) > 0 {
			words.Commands = append([]string{"# on the host of this container:"}, words.Commands...)
		}
	}
	return words
}

func not(holds condition) condition {
	return func(d *result.Document) bool { return !holds(d) }
}

func anyOf(conditions ...condition) condition {
	return func(d *result.Document) bool {
		return slices.ContainsFunc(conditions, func(holds condition) bool { return holds(d) })
	}
}

func isGuest(d *result.Document) bool {
	return d.Host.Virtualization != nil && d.Host.Virtualization.Role == "guest"
}

func guestUnder(systems ...string) condition {
	return func(d *result.Document) bool {
		return isGuest(d) && slices.Contains(systems, d.Host.Virtualization.System)
	}
}

func inContainer(d *result.Document) bool { return d.Host.Container != "" && !inGVisor(d) }

// ownsFirmware reports whether the machine has firmware that its owner can update: it is no
// virtual one. A kernel log alone may not show that; then it is taken for a real machine, and
// the advice says so.
func ownsFirmware(d *result.Document) bool { return !isGuest(d) && !inGVisor(d) && !inWSL(d) }

// onX86 reports whether the machine has a TSC. A kernel log alone may not show its CPU.
func onX86(d *result.Document) bool {
	return slices.Contains([]string{"amd64", "386", ""}, d.Host.Arch)
}

func offered(name string) condition {
	return func(d *result.Document) bool { return offers(d, name) && clockSource(d) != name }
}

func removing(names ...string) func(*result.Document) []parameter {
	return func(d *result.Document) []parameter { return parameters(d, names...) }
}

func isSet(d *result.Document, parameter string) bool {
	wanted := underscored(parameter)
	return slices.ContainsFunc(d.Host.BootParameters, func(text string) bool { return underscored(text) == wanted })
}

func unset(all ...string) condition {
	return func(d *result.Document) bool {
		return !slices.ContainsFunc(all, func(parameter string) bool { return isSet(d, parameter) })
	}
}

// olderThan returns the condition that the kernel is known and older than a release.
func olderThan(major, minor int) condition {
	return func(d *result.Document) bool { return kernellog.Older(d.Host.Kernel, major, minor) }
}

func since(major, minor int) condition { return not(olderThan(major, minor)) }
