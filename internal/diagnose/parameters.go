package diagnose

import (
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
)

// A parameter is one of the kernel command line.
type parameter struct {
	name  string // with underscores for dashes
	value string // "" if it has none
	text  string // as written
}

// parameters returns the document's boot parameters with one of the names, or with the value of a name=value, in order.
// In a name the kernel treats a dash as an underscore (parameq in kernel/params.c).
func parameters(d *result.Document, names ...string) []parameter {
	var found []parameter
	for _, text := range d.Host.BootParameters {
		name, value, _ := strings.Cut(text, "=")
		name = underscored(name)
		if slices.ContainsFunc(names, func(sought string) bool {
			return underscored(sought) == name || underscored(sought) == underscored(text)
		}) {
			found = append(found, parameter{name, value, text})
		}
	}
	return found
}

func underscored(name string) string { return strings.ReplaceAll(name, "-", "_") }

// onCommandLine begins evidence from the kernel command line.
const onCommandLine = "kernel command line: "
