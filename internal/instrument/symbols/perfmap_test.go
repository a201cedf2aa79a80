package symbols

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestParsePerfMap(t *testing.T) {
	table, err := ParsePerfMap(strings.NewReader(strings.Join([]string{
		"1000 100 old one",
		"0x2000 0x10 LazyCompile:~main /srv/a.js:1",
		"3000 10 below", "3010 10 above", "3008 10 over both",
		"1080 10 new within the old",
		"garbage", "4000 0 empty", "4000 10", "4000 zz x", "ffffffffffffffff 2 beyond the end", "",
		"5000 10 _ZN2os14javaTimeMillisEv\r",
		"6000 10 the last line has no end",
	}, "\n")), 1<<10)
	require.NoError(t, err)
	requireNames(t, table, map[uint64]string{
		0x1000: "", 0x1080: "new within the old", 0x108f: "new within the old", 0x1090: "",
		0x2000: "LazyCompile:~main /srv/a.js:1", 0x2010: "", 0x3000: "", 0x3008: "over both", 0x3018: "", 0x4000: "",
		0x5000: "os::javaTimeMillis()", 0x600f: "the last line has no end",
	})
}

// The functions that remain are those of a simple search.
func TestLaterFunctionsReplaceEarlierOnes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var list strings.Builder
		var kept []function
		for i := range uint32(random.IntN(30)) {
			f := function{start: random.Uint64N(100), name: i}
			f.end = f.start + 1 + random.Uint64N(20)
			fmt.Fprintf(&list, "%x %x f%d\n", f.start, f.end-f.start, i)
			kept = slices.DeleteFunc(kept, func(earlier function) bool { return earlier.start < f.end && f.start < earlier.end })
			kept = append(kept, f)
		}
		table, err := ParsePerfMap(strings.NewReader(list.String()), int64(list.Len()))
		require.NoError(t, err)
		for addr := range uint64(130) {
			want := ""
			for _, f := range kept {
				if f.start <= addr && addr < f.end {
					want = fmt.Sprint("f", f.name)
				}
			}
			requireNames(t, table, map[uint64]string{addr: want})
		}
	}
}

func TestParsePerfMapIsBounded(t *testing.T) {
	table, err := ParsePerfMap(&endless{line: "1000 10 function\n"}, math.MaxInt64)
	require.NoError(t, err)
	require.Equal(t, 1, table.Len())
	table, err = ParsePerfMap(&endless{line: "x"}, math.MaxInt64)
	require.NoError(t, err)
	require.Zero(t, table.Len())

	_, err = ParsePerfMap(io.MultiReader(strings.NewReader("1000 10 a\n"), iotest.ErrReader(errors.New("broken disk"))), 100)
	require.EqualError(t, err, "list of compiled functions: broken disk")
}

func FuzzParsePerfMap(f *testing.F) {
	f.Add("1000 10 a\n1008 10 b\n")
	f.Add("0x1000 0x10 a b c")
	f.Add("ffffffffffffffff 1 a\nx")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := ParsePerfMap(strings.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		requireOrdered(t, table)
	})
}

// requireOrdered checks what the search in a table relies on.
func requireOrdered(t *testing.T, table *Table) {
	t.Helper()
	for i, f := range table.functions {
		if f.end <= f.start || i > 0 && table.functions[i-1].start >= f.start {
			t.Fatalf("function %d: %+v", i, table.functions)
		}
		if name, ok := table.Lookup(f.start); !ok || len(name) > maxLength {
			t.Fatalf("function %d: %q, %v", i, name, ok)
		}
	}
}
