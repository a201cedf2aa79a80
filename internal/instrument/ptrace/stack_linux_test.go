package ptrace

import (
	"errors"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// base is the address of the stacks of the tests.
const base = 0x7ffc_0000_1000

var errOutside = errors.New("outside")

// peekIn returns a function that reads words of bytes at an address.
func peekIn(memory []byte, at uint64) func(uint64) (uint64, error) {
	return func(address uint64) (uint64, error) {
		offset := address - at
		if address < at || offset > uint64(len(memory)) || uint64(len(memory))-offset < wordSize {
			return 0, errOutside
		}
		var word uintptr
		copy(bytesOf(&word), memory[offset:])
		return uint64(word), nil
	}
}

func stackOf(words ...uint64) []byte {
	var memory []byte
	for _, value := range words {
		word := uintptr(value)
		memory = append(memory, bytesOf(&word)...)
	}
	return memory
}

func repeat(n int, words ...uint64) []uint64 {
	var all []uint64
	for range n {
		all = append(all, words...)
	}
	return all
}

func TestVDSOEntry(t *testing.T) {
	for name, c := range map[string]struct {
		words []uint64
		index uint64 // of the entry in words
		err   string
	}{
		"first entry":        {[]uint64{1, 0xa, 0, 0xe, 0xf, 0, 33, 0xb, 0, 0}, 6, ""},
		"after others":       {[]uint64{2, 0xa, 0xb, 0, 0, 16, 33, 6, 33, 33, 0xb, 0, 0}, 9, ""},
		"no arguments":       {[]uint64{0, 0, 0, 33, 0xb, 0, 0}, 3, ""},
		"no vDSO":            {[]uint64{1, 0xa, 0, 0, 6, 4096, 0, 0, 33, 1}, 0, ""},
		"hidden before":      {[]uint64{1, 0xa, 0, 0, 1, 0xb, 0, 0, 33, 1}, 0, ""},
		"too many arguments": {[]uint64{1 << 30, 0xa, 0, 0, 33, 0xb, 0, 0}, 0, "1073741824 arguments"},
		"argc is negative": {[]uint64{1<<64 - 1, 0xa, 0, 0, 33, 0xb, 0, 0}, 0,
			strconv.FormatUint(math.MaxUint, 10) + " arguments"},
		"argc is too small": {[]uint64{1, 0xa, 0xb, 0, 0, 33, 0xb, 0, 0}, 0, "argv does not end after 1 arguments"},
		"32-bit stack":      {[]uint64{0xff00_1000_0000_0001, 0, 0xff00_2000, 33, 1, 0}, 0, "arguments"},
		"envp does not end": {append([]uint64{0, 0}, repeat(maxPointers+2, 7)...), 0, "envp does not end"},
		"auxv does not end": {append([]uint64{0, 0, 0}, repeat(maxAuxv+2, 6, 0)...), 0,
			"auxiliary vector does not end"},
		"nothing":               {nil, 0, "outside"},
		"cut after argc":        {[]uint64{1}, 0, "outside"},
		"cut in argv":           {[]uint64{3, 0xa, 0xb}, 0, "outside"},
		"cut in envp":           {[]uint64{1, 0xa, 0, 0xe}, 0, "outside"},
		"cut in the auxv":       {[]uint64{1, 0xa, 0, 0, 6, 4096}, 0, "outside"},
		"cut within a pair":     {[]uint64{1, 0xa, 0, 0, 6}, 0, "outside"},
		"value of 33 elsewhere": {[]uint64{1, 33, 0, 33, 0, 6, 33, 0, 0}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			entry, err := vdsoEntry(peekIn(stackOf(c.words...), base), base)
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

// Whatever the stack is, the entry is within it, behind argv and envp, and has the type.
func FuzzVDSOEntry(f *testing.F) {
	f.Add(stackOf(1, 0xa, 0, 0xe, 0, 6, 4096, 33, 0xb, 0, 0))
	f.Add(stackOf(0, 0, 0, 0, 0))
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, memory []byte) {
		peeks := 0
		peek := peekIn(memory, base)
		entry, err := vdsoEntry(func(address uint64) (uint64, error) {
			peeks++
			return peek(address)
		}, base)
		require.LessOrEqual(t, peeks, len(memory)/wordSize+2)
		if err != nil || entry == 0 {
			return
		}
		word, err := peek(entry)
		require.NoError(t, err)
		require.EqualValues(t, atSysinfoEHDR, word)
		argc, err := peek(base)
		require.NoError(t, err)
		require.GreaterOrEqual(t, entry, base+wordSize*(argc+3))
	})
}

// A stack is cut at any byte.
func TestVDSOEntryOfACutStack(t *testing.T) {
	memory := stackOf(2, 0xa, 0xb, 0, 0xe, 0, 6, 4096, 33, 0xb, 0, 0)
	const needed = 9 * wordSize // up to the type of the entry
	for size := range len(memory) + 1 {
		entry, err := vdsoEntry(peekIn(memory[:size], base), base)
		if size < needed {
			require.ErrorIs(t, err, errOutside, "%d bytes", size)
		} else {
			require.NoError(t, err)
			require.Equal(t, uint64(base+8*wordSize), entry)
		}
	}
}
