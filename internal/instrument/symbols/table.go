package symbols

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"
)

// A Table has the functions of one file or of one just-in-time compiler.
type Table struct {
	functions []function // in order of address, each with another start
	names     []byte     // of the functions, each ended by a zero byte
	segments  []segment
	versioned bool // a name may end with the version of the symbol: clock_gettime@@GLIBC_2.17
}

// maxName bounds a name in a file, in bytes. Mangled names of C++ templates have some thousand.
const maxName = 4096

const functionSize = 24

// maxNested bounds the functions within another one, after each of which the outer one is found. Real ones are a few.
const maxNested = 1024

// A function is one symbol.
type function struct {
	start, end uint64
	name       uint32 // position in Table.names
	rank       uint8  // which of several names of one address is preferred: the lowest
	open       bool   // the size is unknown: it reaches to the next function, but at most to end
}

// Lookup returns the name of the function at an address: a virtual address of the file, or of the
// process for the table of a just-in-time compiler. ok is false if no function is known there.
//
// The name is readable: C++ and Rust names are demangled, control characters are replaced, and it has
// at most 200 bytes. Where functions overlap, the one that starts last has the address. Of several names
// of one address it is always the same: a global one rather than a weak one, rather than a local one;
// then one that does not begin with an underscore; then the shortest; then the first in the alphabet.
func (t *Table) Lookup(addr uint64) (name string, ok bool) {
	after := sort.Search(len(t.functions), func(i int) bool { return t.functions[i].start > addr })
	for _, f := range slices.Backward(t.functions[max(0, after-maxNested):after]) {
		if addr < f.end {
			return readable(t.name(f)), true
		}
	}
	return "", false
}

// name returns the name of a function as it is in the file, without its version.
func (t *Table) name(f function) string {
	name := string(t.raw(f.name))
	if t.versioned {
		name = withoutVersion(name)
	}
	return name
}

// HasAny reports whether the table has a function with one of these names.
func (t *Table) HasAny(names []string) bool {
	return slices.ContainsFunc(t.functions, func(f function) bool { return slices.Contains(names, t.name(f)) })
}

// Len returns the number of functions.
func (t *Table) Len() int { return len(t.functions) }

// raw returns the name at a position, as it is in the file.
func (t *Table) raw(at uint32) []byte {
	name := t.names[at:]
	name = name[:min(len(name), maxName)]
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	return name
}

// withoutVersion removes the version that ld(1) appends to names in .symtab.
func withoutVersion(name string) string {
	if at := strings.IndexByte(name, '@'); at > 0 {
		return name[:at]
	}
	return name
}

// build fills the table with functions, in any order. It changes the slice.
func (t *Table) build(functions []function) {
	slices.SortFunc(functions, func(a, b function) int { return cmp.Compare(a.start, b.start) })
	t.functions = slices.Clone(t.withoutAliases(functions)) // most symbols are none
}

// withoutAliases leaves one function at each address, with the name that [Table.Lookup] documents and
// the largest of the sizes, and ends those of unknown size. functions are in order.
func (t *Table) withoutAliases(functions []function) []function {
	kept := functions[:0]
	for i := 0; i < len(functions); {
		best := functions[i]
		for i++; i < len(functions) && functions[i].start == best.start; i++ {
			end, open := best.end, best.open
			if other := functions[i]; open == other.open {
				end = max(end, other.end)
			} else if open {
				end, open = other.end, false
			}
			if t.prefers(functions[i], best) {
				best = functions[i]
			}
			best.end, best.open = end, open
		}
		if best.open && i < len(functions) {
			best.end = min(best.end, functions[i].start)
		}
		if best.end > best.start && len(t.raw(best.name)) > 0 {
			kept = append(kept, best)
		}
	}
	return kept
}

// prefers reports whether the name of a is shown rather than that of b, at the same address.
func (t *Table) prefers(a, b function) bool {
	nameA, nameB := t.raw(a.name), t.raw(b.name)
	hidden := func(name []byte) int {
		if bytes.HasPrefix(name, []byte("_")) {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(min(len(nameB), 1), min(len(nameA), 1)), // no name is the worst
		cmp.Compare(a.rank, b.rank),
		cmp.Compare(hidden(nameA), hidden(nameB)),
		cmp.Compare(len(nameA), len(nameB)),
		bytes.Compare(nameA, nameB),
	) < 0
}
