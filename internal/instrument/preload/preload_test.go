package preload

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListed(t *testing.T) {
	for text, want := range map[string][]string{
		"":                       nil,
		" \n\n":                  nil,
		"/lib/a.so":              {"/lib/a.so"},
		"/lib/a.so:b.so /c.so\n": {"/lib/a.so", "b.so", "/c.so"},
		"# all\n/lib/a.so # that one\n\t/lib/b.so\n": {"/lib/a.so", "/lib/b.so"},
	} {
		require.Equal(t, want, listed(text), "%q", text)
	}
	require.Len(t, listed(strings.Repeat("/a.so ", 1000)), maxListed)
}

func FuzzListed(f *testing.F) {
	f.Add("/lib/a.so:b.so # c\n/d.so")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range listed(text) {
			require.NotEmpty(t, name)
			require.NotContains(t, name, ":")
			require.NotContains(t, name, "\n")
		}
	})
}
