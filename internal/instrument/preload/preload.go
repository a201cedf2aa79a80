// Package preload finds the libraries that stand in for the clock: libraries that a dynamic linker loads before all
// others, and that define functions which return the time. libfaketime is an example. The calls of a program go to them
// and not to the C library, so their latency differs, and they may read another clock.
package preload

import "strings"

// File lists the libraries that the dynamic linker of glibc loads into every program: ld.so(8).
const File = "/etc/ld.so.preload"

// Variable lists the libraries to load into a single program.
const Variable = "LD_PRELOAD"

const maxListed = 64

// listed returns the libraries of a list. They are separated by spaces or colons; in the file, comments begin with #.
func listed(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		for name := range strings.FieldsFuncSeq(line, func(r rune) bool { return r == ':' || r <= ' ' }) {
			if len(all) == maxListed {
				return all
			}
			all = append(all, name)
		}
	}
	return all
}
