package symbols

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sampleMaps = `00400000-00452000 r-xp 00001000 08:02 173521      /usr/bin/dbus-daemon
00651000-00652000 r--p 00051000 08:02 173521      /usr/bin/dbus-daemon
7f00000000-7f00001000 rwxp 00000000 00:00 0
7e00000000-7e00001000 r-xs 00000000 00:01 42                      /memfd:jit (deleted)
7f10000000-7f10001000 r-xp 00002000 fd:01 7                       /srv/a\012b (deleted) c
7fff10000000-7fff10002000 r-xp 00000000 00:00 0                          [vdso]
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
`

func TestParseMaps(t *testing.T) {
	mappings, err := ParseMaps(strings.NewReader(sampleMaps))
	require.NoError(t, err)
	require.Equal(t, []Mapping{
		{0x400000, 0x452000, 0x1000, 173521, "/usr/bin/dbus-daemon"},
		{0x7e00000000, 0x7e00001000, 0, 42, "/memfd:jit (deleted)"},
		{0x7f00000000, 0x7f00001000, 0, 0, ""},
		{0x7f10000000, 0x7f10001000, 0x2000, 7, "/srv/a\nb (deleted) c"},
		{0x7fff10000000, 0x7fff10002000, 0, 0, "[vdso]"},
		{0xffffffffff600000, 0xffffffffff601000, 0, 0, "[vsyscall]"},
	}, mappings)
	var bases []string
	for _, m := range mappings {
		bases = append(bases, m.Base())
	}
	require.Equal(t, []string{"dbus-daemon", "memfd:jit", "", "a\nb (deleted) c", "[vdso]", "[vsyscall]"}, bases)

	for addr, want := range map[uint64]bool{0: false, 0x3fffff: false, 0x400000: true, 0x451fff: true, 0x452000: false,
		0xffffffffff600fff: true} {
		_, ok := mappingAt(mappings, addr)
		require.Equal(t, want, ok, "%#x", addr)
	}
}

func TestLinesThatAreNoMappings(t *testing.T) {
	const right = "1000-2000 r-xp 00000000 00:00 0\n"
	mappings, err := ParseMaps(strings.NewReader(right + "2000-1000 r-xp 0 00:00 0\n\n" + right))
	require.NoError(t, err)
	require.Len(t, mappings, 2)
	_, err = ParseMaps(strings.NewReader(right + strings.Repeat("x", maxMapsLine+1)))
	require.EqualError(t, err, "maps: bufio.Scanner: token too long")
	_, err = ParseMaps(&endless{line: "1000-2000 r--p 00000000 00:00 0\n"})
	require.EqualError(t, err, fmt.Sprintf("maps: more than %d bytes", maxMaps))
}

// endless repeats a line.
type endless struct {
	line string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	for n := 0; n < len(p); {
		copied := copy(p[n:], e.line[e.at:])
		n, e.at = n+copied, (e.at+copied)%len(e.line)
	}
	return len(p), nil
}

func FuzzParseMaps(f *testing.F) {
	f.Add(sampleMaps)
	f.Add("1000-2000 r-xp 0 00:00 0")
	f.Add("-\n")
	f.Fuzz(func(t *testing.T, text string) {
		mappings, err := ParseMaps(strings.NewReader(text))
		if err != nil && len(mappings) > 0 {
			t.Fatal("mappings and an error")
		}
		for i, m := range mappings {
			if m.Start >= m.End || i > 0 && mappings[i-1].Start > m.Start {
				t.Fatalf("%+v", mappings)
			}
		}
	})
}
