package symbols

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"
)

// A Table has the functions of one file or of one just-in-time compiler.
type Table struct {
	pieces    []piece // in order of address, without overlap
	names     []byte  // of the functions, each ended by a zero byte
	segments  []segment
	versioned bool // a name may end with the version of the symbol: clock_gettime@@GLIBC_2.17
}

// maxName bounds a name in a file, in bytes. Mangled names of C++ templates have some thousand.
const maxName = 4096

// A piece is a range of addresses that belongs to one function. A function has several if others lie
// within it.
type piece struct {
	start  uint64
	length uint32 // of a longer piece, the first 4 GiB: no function is as long
	name   uint32 // position in Table.names
}

// pieceSize and functionSize are the sizes of a piece and of a function, in bytes.
const (
	pieceSize    = 16
	functionSize = 24
)

// A function is one symbol, before its table is made.
type function struct {
	start, end uint64
	name       uint32
	rank       uint8 // which of several names of one address is preferred: the lowest
	open       bool  // the size is unknown: it reaches to the next function, but at most to end
}

// Lookup returns the name of the function at an address: a virtual address of the file, or of the
// process for the table of a just-in-time compiler. ok is false if no function is known there.
//
// The name is readable: C++ and Rust names are demangled, control characters are replaced, and it has
// at most 200 bytes. Where functions overlap, the one that starts last has the address. Of several names
// of one address it is always the same: a global one rather than a weak one, rather than a local one;
// then one that does not begin with an underscore; then the shortest; then the first in the alphabet.
func (t *Table) Lookup(addr uint64) (name string, ok bool) {
	after := sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].start > addr })
	if after == 0 {
		return "", false
	}
	found := t.pieces[after-1]
	if addr-found.start >= uint64(found.length) {
		return "", false
	}
	return readable(t.name(found)), true
}

// name returns the name of a piece as it is in the file, without its version.
func (t *Table) name(of piece) string {
	name := string(t.raw(of.name))
	if t.versioned {
		name = withoutVersion(name)
	}
	return name
}

// HasAny reports whether the table has a function with one of these names.
func (t *Table) HasAny(names []string) bool {
	return slices.ContainsFunc(t.pieces, func(of piece) bool { return slices.Contains(names, t.name(of)) })
}

// Len returns the number of address ranges that have a name.
func (t *Table) Len() int { return len(t.pieces) }

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
	t.pieces = flatten(t.withoutAliases(functions))
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

// maxNested bounds the functions that lie within each other, so that they take no memory. Real ones are a few.
const maxNested = 1024

// nested returns how many functions begin before the end of an earlier one. functions are in order.
func nested(functions []function) int {
	number, end := 0, uint64(0)
	for _, f := range functions {
		if f.start < end {
			number++
		}
		end = max(end, f.end)
	}
	return number
}

// flatten returns the ranges of functions that may lie within each other. functions are in order, each
// with another start.
func flatten(functions []function) []piece {
	pieces := make([]piece, 0, len(functions)+nested(functions)) // a function around another one has two ranges
	var begun []function                                         // not ended, in order of start
	at := uint64(0)
	advance := func(to uint64) {
		for at < to && len(begun) > 0 {
			last := begun[len(begun)-1]
			if last.end <= at {
				begun = begun[:len(begun)-1]
				continue
			}
			next := min(last.end, to)
			pieces = append(pieces, piece{at, uint32(min(next-at, math.MaxUint32)), last.name})
			at = next
		}
		at = to
	}
	for _, f := range functions {
		advance(f.start)
		for len(begun) > 0 && begun[len(begun)-1].end <= f.end {
			begun = begun[:len(begun)-1] // nothing remains of it after f
		}
		if len(begun) < maxNested {
			begun = append(begun, f)
		}
	}
	advance(math.MaxUint64)
	return pieces
}
