// Package remedy has the advice of findings: what to do about a cause, on which machines that works and is safe, the
// commands, the risk. Each remedy is an entry of a table, with its source.
package remedy

import (
	"slices"

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
	// where reports whether it works and is safe on a machine; nil means all machines.
	where func(*machine) bool
	// adds is a kernel parameter that it adds. It is not suggested if the parameter is already set.
	adds string
	// removes returns the kernel parameters that it removes. It is suggested only if there are such parameters.
	removes func(*machine) []situation.Parameter
	// kernel is whether its commands act on the kernel, which a container shares with its host: there they belong on
	// the host.
	kernel   bool
	advice   string
	commands []string
	risk     string
	// advise, command and warn return the advice, the commands and the risk if they depend on the machine.
	advise  func(*machine) string
	command func(*machine) []string
	warn    func(*machine) string
}

// asRoot is a remark on the next commands: a command that begins with # is not for the shell.
const asRoot = "# as root:"

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
