// Package remedy has the advice of findings: the commands against a cause, the machines on which they work and are
// safe, the risk. Each remedy is an entry of remedies.txt, with its source.
package remedy

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/texts"
)

// A remedy is a way to resolve a finding, for the machines on which it works: an entry of remedies.txt, where its
// fields are described.
type remedy struct{ texts.Entry }

//go:embed remedies.txt
var remediesFile string

//go:embed causes.txt
var causesFile string

// remedies are the remedies by name.
var remedies = sync.OnceValue(func() map[string]remedy {
	all := map[string]remedy{}
	for _, e := range texts.Entries(remediesFile) {
		all[e.Name] = remedy{e}
	}
	return all
})

// causes has the names of the remedies for each kind of cause: those that call for a remedy, and the harmless ones.
var causes = sync.OnceValue(func() []texts.Entry { return texts.Entries(causesFile) })

// OfCause returns the names of the remedies for a kind of cause (kernellog.Cause) that calls for one.
func OfCause(kind string) []string { return causes()[0].List(kind) }

// OfHarmless returns the names of the remedies for a kind of cause that is harmless to the clocks, and whether it asks
// for something: the text of the cause may have the advice.
func OfHarmless(kind string) (names []string, asks bool) {
	asks = slices.ContainsFunc(causes()[1].Fields, func(f texts.Field) bool { return f.Key == kind })
	return causes()[1].List(kind), asks
}

// fits reports whether a remedy works on a machine, is safe there, and would change something.
func (r remedy) fits(s *machine) bool {
	switch adds := r.Get("adds"); {
	case r.onKernel() && (!s.OnLinux() || s.InGVisor() || inDockerDesktop(s)):
		return false
	case adds != "" && s.IsSet(adds), r.Get("removes") != "" && len(r.removed(s)) == 0:
		return false
	}
	return Holds(s, r.Get("where"))
}

// onKernel reports whether a remedy acts on the kernel, which a container shares with its host: there it belongs on the
// host.
func (r remedy) onKernel() bool { return r.Get("acts on") != "" || r.changesBoot() }

func (r remedy) changesBoot() bool { return r.Get("adds") != "" || r.Get("removes") != "" }

// removed returns the parameters that a remedy removes from the kernel command line.
func (r remedy) removed(s *machine) []situation.Parameter {
	names := r.Get("removes")
	if of, ok := parameters[names]; ok {
		return of(s)
	}
	return s.Parameters(strings.Fields(names)...)
}

// on returns the words of a remedy for a machine. It leaves out a command with a figure that is not safe in a shell.
func (r remedy) on(s *machine) result.Remedy {
	fitting := Fitting(s, r.Entry)
	advice, _ := fill(s, fitting.Get("advice"))
	risk, _ := fill(s, fitting.Get("risk"))
	words := result.Remedy{Advice: advice, Risk: risk}
	for _, command := range fitting.All("do") {
		if text, safe := fill(s, command); safe {
			words.Commands = append(words.Commands, text)
		}
	}
	if r.changesBoot() {
		hint, commands := commandLine(s, r.Get("adds"), r.removed(s))
		words.Advice += hint
		words.Commands = append(words.Commands, commands...)
	}
	if s.InWSL() && r.Get("acts on") == "version of the kernel" {
		words.Advice += ". `wsl --update` in Windows installs a newer one"
	}
	if r.onKernel() && s.InContainer() {
		words.Advice = "On the host of this container: " + words.Advice
		if len(words.Commands) > 0 {
			words.Commands = append([]string{"# on the host of this container:"}, words.Commands...)
		}
	}
	return words
}

// OfHypervisor stands for the remedies of the machine's hypervisor among the names of remedies.
const OfHypervisor = "of-the-hypervisor"

// For returns the named remedies that work on a machine and are safe there, each once, in order.
func For(s *machine, names ...string) []result.Remedy {
	var found []result.Remedy
	if i := slices.Index(names, OfHypervisor); i >= 0 {
		others := slices.DeleteFunc(slices.Clone(names[i+1:]), func(name string) bool { return name == OfHypervisor })
		names = slices.Concat(names[:i], HypervisorOf(s).List("remedies"), others)
	}
	for i, name := range names {
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
