package symbols

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// compiledName returns the name at an address in a list.
func compiledName(t *testing.T, list string, address uint64) string {
	t.Helper()
	names, err := compiledAt(strings.NewReader(list), int64(len(list)), []uint64{address})
	require.NoError(t, err)
	return names[address]
}

func TestCompiledAt(t *testing.T) {
	list := strings.Join([]string{
		"1000 100 old one",
		"0x2000 0x10 LazyCompile:~main /srv/a.js:1",
		"3000 10 below", "3010 10 above", "3008 10 over both",
		"1080 10 new within the old",
		"garbage", "4000 0 empty", "4000 10", "4000 zz x", "ffffffffffffffff 2 beyond the end", "",
		"5000 10 _ZN2os14javaTimeMillisEv\r",
		"6000 10 the last line has no end",
	}, "\n")
	for address, want := range map[uint64]string{
		0xfff: "", 0x1000: "old one", 0x1080: "new within the old", 0x108f: "new within the old", 0x1090: "old one", 0x1100: "",
		0x2000: "LazyCompile:~main /srv/a.js:1", 0x2010: "", 0x3000: "below", 0x3008: "over both", 0x3018: "above", 0x4000: "",
		0x5000: "os::javaTimeMillis()", 0x600f: "the last line has no end", 1<<64 - 1: "",
	} {
		require.Equal(t, want, compiledName(t, list, address), "%#x", address)
	}
}

// A long list is read from its end, which has the latest functions.
func TestCompiledAtIsBounded(t *testing.T) {
	list := sparse{begin: []byte("1000 10 first\n"), end: []byte("\n2000 10 last\n"), size: 2 * maxPerfMap}
	names, err := compiledAt(list, list.size, []uint64{0x1000, 0x2000})
	require.NoError(t, err)
	require.Equal(t, map[uint64]string{0x2000: "last"}, names)

	_, err = compiledAt(readerAt{iotest.ErrReader(errors.New("broken disk"))}, 100, nil)
	require.EqualError(t, err, "list of compiled functions: broken disk")
}

// readerAt is a file that is read from its beginning.
type readerAt struct{ io.Reader }

func (r readerAt) ReadAt(p []byte, _ int64) (int, error) { return r.Read(p) }

func FuzzParsePerfMap(f *testing.F) {
	f.Add("1000 10 a\n1008 10 b\n")
	f.Add("0x1000 0x10 a b c")
	f.Add("ffffffffffffffff 1 a\nx")
	f.Fuzz(func(t *testing.T, text string) {
		names, err := compiledAt(strings.NewReader(text), int64(len(text)), []uint64{0, 0x1000, 0x1009, 1<<64 - 1})
		require.NoError(t, err)
		for _, name := range names {
			require.LessOrEqual(t, len(name), maxLength)
			require.True(t, bytes.ContainsAny([]byte(text), " "))
		}
	})
}
