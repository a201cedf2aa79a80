package texts

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEntries(t *testing.T) {
	all := Entries("# a comment\nsleep-until\n  advice: Sleep until\n    10:00,\n    and again\n  do: sleep 1\r\n  do: # as root:\n\n" +
		"other\n  names: a, b-c,\n    d\n")
	require.Equal(t, []Entry{
		{"sleep-until", []Field{{"advice", "Sleep until 10:00, and again"}, {"do", "sleep 1"}, {"do", "# as root:"}}},
		{"other", []Field{{"names", "a, b-c, d"}}},
	}, all)
	require.Equal(t, []string{"sleep 1", "# as root:"}, all[0].All("do"))
	require.Equal(t, []string{"a", "b-c", "d"}, all[1].List("names"))
	require.Empty(t, all[1].Get("advice"))
	require.Empty(t, Entries("  a field: without an entry\n    and more\n"))
}

func TestFacts(t *testing.T) {
	holds := func(fact []string) bool { return fact[0] == "linux" || fact[0] == "older-than" && fact[1] == "5.11" }
	for facts, want := range map[string]bool{
		"": true, "linux": true, "not linux": false, "linux, older-than 5.11": true, "linux, older-than 5.9": false,
		"windows or linux, not wsl": true, "windows or linux, wsl": false, "not windows": true,
	} {
		require.Equal(t, want, Hold(facts, holds), facts)
	}
	e := Entry{"x", []Field{{"do if windows", "a"}, {"do if linux", "b"}, {"do", "c"}}}
	require.Equal(t, Entry{"x", []Field{{"do", "b"}, {"do", "c"}}}, e.Holding(holds))
}

func TestFill(t *testing.T) {
	figure := func(word string) string {
		if word == "{clock}" {
			return "{rate} of tsc"
		}
		return word
	}
	require.Equal(t, "The {rate} of tsc, {other}, {}.", Fill("The {clock}, {other}, {}.", figure))
}
