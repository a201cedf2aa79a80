package symbols

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func all(string) bool { return true }

func TestParseKallsyms(t *testing.T) {
	// Out of order, with data and with aliases.
	const list = `0000000000001000 A fixed_percpu_data
ffffffff81000000 T _text
ffffffff81000000 T _stext
ffffffffc0002000 t of_module	[ext4]
ffffffff81000040 W weak
ffffffff81000020 t local
ffffffff81000030 D data
ffffffffc0001000 t earlier_in_module	[ext4]
`
	symbols, err := ParseKallsyms(strings.NewReader(list), all)
	require.NoError(t, err)
	require.Equal(t, []Symbol{
		{"_stext", 0xffffffff81000000, 0xffffffff81000020},
		{"_text", 0xffffffff81000000, 0xffffffff81000020},
		{"local", 0xffffffff81000020, 0xffffffff81000040},
		{"weak", 0xffffffff81000040, 0xffffffffc0001000},
		{"earlier_in_module", 0xffffffffc0001000, 0xffffffffc0002000},
		{"of_module", 0xffffffffc0002000, 0xffffffffffffffff},
	}, symbols)
	symbols, err = ParseKallsyms(strings.NewReader(list), func(name string) bool { return name == "local" })
	require.NoError(t, err)
	require.Len(t, symbols, 1)
	symbols, err = ParseKallsyms(strings.NewReader(""), all)
	require.NoError(t, err)
	require.Empty(t, symbols)
	symbols, err = ParseKallsyms(strings.NewReader("ffffffffffffff00 t last"), all)
	require.NoError(t, err)
	require.Equal(t, []Symbol{{"last", 0xffffffffffffff00, 0xffffffffffffffff}}, symbols)
}

func TestHiddenKallsyms(t *testing.T) {
	_, err := ParseKallsyms(strings.NewReader("0000000000000000 T _text\n0000000000000000 t a\t[b]\n"), all)
	require.ErrorIs(t, err, ErrHidden)
}

func FuzzParseKallsyms(f *testing.F) {
	f.Add("ffffffff81000000 T _text\nffffffffc0002000 t of_module\t[ext4]\n")
	f.Add("0 t a\n")
	f.Add("zz T x\n1000 t a\n")
	f.Add("ffffffffffffffff t a\n1000 D b")
	f.Add("ffffffffffffffff t a\n1000 t b")
	f.Fuzz(func(t *testing.T, text string) {
		symbols, err := ParseKallsyms(strings.NewReader(text), all)
		if err != nil && symbols != nil {
			t.Fatal("symbols and an error")
		}
		for i, symbol := range symbols {
			if symbol.End < symbol.Start || i > 0 && symbols[i-1].Start > symbol.Start {
				t.Fatalf("%+v", symbols)
			}
		}
	})
}
