package symbols

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestCompiledNames(t *testing.T) {
	list := strings.Join([]string{
		"1000 100 old one",
		"0x2000 0x10 LazyCompile:~main /srv/a.js:1",
		"1080 10 new within the old",
		"garbage", "4000 0 empty", "4000 10", "4000 zz x", "ffffffffffffffff 2 beyond the end", "",
		"7000 10 " + strings.Repeat("long ", 10_000) + "7000 10 its end",
		"5000 10 _ZN2os14javaTimeMillisEv\r",
		"6000 10 the last line has no end",
	}, "\n")
	want := map[uint64]string{
		0x1000: "old one", 0x1080: "new within the old", 0x108f: "new within the old", 0x1090: "old one", 0x1100: "",
		0x2000: "LazyCompile:~main /srv/a.js:1", 0x2010: "", 0x4000: "", 0x5000: "os::javaTimeMillis()",
		0x600f: "the last line has no end", 0x6010: "", 0: "", ^uint64(0): "",
	}
	var addresses []uint64
	for address := range want {
		addresses = append(addresses, address, address) // an address may be asked for twice
	}
	names, err := CompiledNames(strings.NewReader(list), append(addresses, 0x7000))
	require.NoError(t, err)
	for i, address := range addresses {
		require.Equal(t, want[address], names[i], "%#x", address)
	}
	require.Contains(t, names[len(addresses)], "long long")
	_, err = CompiledNames(io.MultiReader(strings.NewReader("1000 10 a\n"),
		iotest.ErrReader(errors.New("broken disk"))), nil)
	require.EqualError(t, err, "list of compiled functions: broken disk")
}

// Lists that another user makes to take memory or time.
func TestHostileLists(t *testing.T) {
	addresses := make([]uint64, 3000)
	for i := range addresses {
		addresses[i] = uint64(i)
	}
	for _, line := range []string{
		"x", "0 1 a\n", "0 ffffffff " + strings.Repeat("A", 4000) + "\n", "0 ffffffff a\n",
		strings.Repeat(" ", 10_000) + "\n",
	} {
		bytes := taken(func() {
			_, err := CompiledNames(io.LimitReader(&endless{line: line}, 8<<20), addresses)
			require.NoError(t, err)
		})
		require.Less(t, bytes, uint64(64<<20), "%.20q", line)
	}
}

func FuzzCompiledNames(f *testing.F) {
	f.Add("1000 10 a\n1008 10 b\n")
	f.Add("0x1000 0x10 a b c")
	f.Add("ffffffffffffffff 1 a\nx")
	f.Fuzz(func(t *testing.T, text string) {
		names, err := CompiledNames(strings.NewReader(text), []uint64{0, 0x1000, 0x1008, ^uint64(0)})
		if err != nil || len(names) != 4 {
			t.Fatal(names, err)
		}
		for _, name := range names {
			if len(name) > maxLength {
				t.Fatal(fmt.Sprint(names))
			}
		}
	})
}
