package symbols

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestReadable(t *testing.T) {
	for name, want := range map[string]string{
		"clock_gettime":                          "clock_gettime",
		"_ZN2os14javaTimeMillisEv":               "os::javaTimeMillis()",
		"_ZN4core3fmt5write17h0123456789abcdefE": "core::fmt::write",
		"_RNvNtCs1234_7mycrate3foo3bar":          "mycrate::foo::bar",
		"_ZNSt6vectorIiSaIiEE9push_backERKi":     "std::vector<int, std::allocator<int> >::push_back(int const&)",
		"_ZN3fooEv.cold":                         "foo()",
		"_Znot mangled":                          "_Znot mangled",
		"_Z":                                     "_Z",
		"LazyCompile:~main /srv/a.js:1":          "LazyCompile:~main /srv/a.js:1",
		"red\x1b[31m":                            "red [31m",
		"a\xffb":                                 "a\ufffdb",
		"":                                       "",
		"_ZN1a1bESt3mapISsSt6vectorIiSaIiEESt4lessISsESaISt4pairIKSsS2_EEE": "a::b",
	} {
		require.Equal(t, want, readable(name), "%q", name)
	}
	long := readable(strings.Repeat("ä", 4096))
	require.LessOrEqual(t, len(long), maxLength)
	require.True(t, utf8.ValidString(long))
	require.Contains(t, long, "…")
}

func FuzzReadable(f *testing.F) {
	for _, name := range []string{"main", "_ZN2os14javaTimeMillisEv", "_RNvNtCs1234_7mycrate3foo3bar",
		"_ZNSt6vectorIiSaIiEE9push_backERKi", "_Z1fI" + strings.Repeat("1pIS_S_S0_E", 50) + "Evv",
		"_Z1f" + strings.Repeat("P", 4000) + "i", "a\x00\x1b\xff", strings.Repeat("\u202e", 300)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		name = name[:min(len(name), maxName)]
		shown := readable(name)
		if len(shown) > maxLength || !utf8.ValidString(shown) || strings.ContainsAny(shown, "\n\x1b") {
			t.Fatalf("%q", shown)
		}
	})
}
