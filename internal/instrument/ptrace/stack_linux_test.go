package ptrace

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// base is the address of the stacks of the tests.
const base = 0x7ffc_0000_1000

var errOutside = errors.New("outside")

// peekIn returns a function that reads words of a stack.
func peekIn(words []uint64) func(uint64) (uint64, error) {
	return func(address uint64) (uint64, error) {
		i := (address - base) / wordSize
		if address < base || i >= uint64(len(words)) {
			return 0, errOutside
		}
		return words[i], nil
	}
}

// Another process may write to the stack while the entry is looked for.
func TestVDSOEntry(t *testing.T) {
	for name, c := range map[string]struct {
		words []uint64
		index uint64 // of the entry in words
		err   string
	}{
		"first entry":           {[]uint64{1, 0xa, 0, 0xe, 0xf, 0, 33, 0xb, 0, 0}, 6, ""},
		"no vDSO":               {[]uint64{1, 0xa, 0, 0, 6, 4096, 0, 0, 33, 1}, 0, ""},
		"value of 33 elsewhere": {[]uint64{1, 33, 0, 33, 0, 6, 33, 0, 0}, 0, ""},
		"argc is too small":     {[]uint64{1, 0xa, 0xb, 0, 0, 33, 0xb, 0, 0}, 0, "argv does not end after 1 arguments"},
		"address overflows":     {[]uint64{1<<61 + 1, 0xa, 0, 0, 33, 0xb, 0, 0}, 0, "arguments, and Linux"},
		"no end":                {[]uint64{1, 0xa, 0, 0, 6, 4096}, 0, "outside"},
	} {
		t.Run(name, func(t *testing.T) {
			entry, err := vdsoEntry(peekIn(c.words), base)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			if c.index == 0 {
				require.Zero(t, entry)
			} else {
				require.Equal(t, base+wordSize*c.index, entry)
			}
		})
	}
}
