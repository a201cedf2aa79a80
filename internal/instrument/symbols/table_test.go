package symbols

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A named function for tests. A size of 0 is unknown, and reaches to limit at most.
type testFunction struct {
	name        string
	start, size uint64
	rank        uint8
	limit       uint64
}

func tableOf(functions ...testFunction) *Table {
	t := &Table{versioned: true}
	var all []function
	for _, f := range functions {
		built := function{start: f.start, end: f.start + f.size, name: uint32(len(t.names)), rank: f.rank}
		if f.size == 0 {
			built.open, built.end = true, f.limit
		}
		all = append(all, built)
		t.names = append(append(t.names, f.name...), 0)
	}
	t.build(all)
	return t
}

// requireNames compares the names at addresses; "" means that none is known.
func requireNames(t *testing.T, table *Table, want map[uint64]string) {
	t.Helper()
	for addr, name := range want {
		got, ok := table.Lookup(addr)
		require.Equal(t, name, got, "at %#x", addr)
		require.Equal(t, name != "", ok, "at %#x", addr)
	}
}

func TestLookup(t *testing.T) {
	table := tableOf(
		testFunction{name: "second", start: 0x200, size: 0x10},
		testFunction{name: "first", start: 0x100, size: 0x80},
		testFunction{name: "inner", start: 0x120, size: 0x10},
		testFunction{name: "innermost", start: 0x128, size: 0x100},
		testFunction{name: "assembly", start: 0x300, limit: 0x500},
		testFunction{name: "next", start: 0x400, size: 1},
		testFunction{name: "last", start: 0x600, limit: 0x610},
		testFunction{name: "", start: 0x700, size: 0x10},
	)
	requireNames(t, table, map[uint64]string{
		0: "", 0xff: "", 0x100: "first", 0x11f: "first", 0x120: "inner", 0x127: "inner", 0x128: "innermost",
		0x17f: "innermost", 0x1ff: "innermost", 0x200: "second", 0x20f: "second", 0x210: "innermost", 0x228: "",
		0x300: "assembly", 0x3ff: "assembly", 0x400: "next", 0x401: "", 0x600: "last", 0x60f: "last", 0x610: "",
		0x700: "", math.MaxUint64: "",
	})
	requireNames(t, &Table{}, map[uint64]string{0: "", 1: ""})
}

func TestLookupPrefersOneOfSeveralNames(t *testing.T) {
	for want, names := range map[string][]testFunction{
		"global":        {{name: "a", rank: 2}, {name: "global"}, {name: "w", rank: 1}},
		"plain":         {{name: "_x"}, {name: "plain"}, {name: "__"}},
		"short":         {{name: "longer"}, {name: "short"}},
		"alpha":         {{name: "bravo"}, {name: "alpha"}},
		"clock_gettime": {{name: "clock_gettime@@GLIBC_2.17"}, {name: "__clock_gettime"}},
		"local":         {{name: ""}, {name: "local", rank: 2}},
	} {
		for range 10 {
			rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			for i := range names {
				names[i].start, names[i].size = 0x10, uint64(1+i)
			}
			table := tableOf(names...)
			requireNames(t, table, map[uint64]string{0x10: want, 0x10 + uint64(len(names)) - 1: want, 0x10 + uint64(len(names)): ""})
		}
	}
}

// The table agrees with a search through all functions.
func TestLookupOfRandomFunctions(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var functions []testFunction
		const space = 256
		starts := map[uint64]bool{}
		for i := range random.IntN(40) {
			f := testFunction{name: fmt.Sprint("f", i), start: random.Uint64N(space), size: 1 + random.Uint64N(60)}
			if !starts[f.start] {
				starts[f.start] = true
				functions = append(functions, f)
			}
		}
		table := tableOf(functions...)
		for addr := range uint64(2 * space) {
			want := testFunction{}
			for _, f := range functions {
				if f.start <= addr && addr < f.start+f.size && (want.name == "" || f.start > want.start) {
					want = f
				}
			}
			requireNames(t, table, map[uint64]string{addr: want.name})
		}
	}
}
