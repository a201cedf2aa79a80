//go:build 386 || amd64

package counter

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// cpu is the answer of a CPU, by leaf: EAX, EBX, ECX, EDX.
type cpu map[uint32][4]uint32

func (c cpu) id(leaf uint32) (a, b, cx, d uint32) { r := c[leaf]; return r[0], r[1], r[2], r[3] }

// The leaves that a CPU lacks hold anything: they are not read.
func TestRatesOfCPUID(t *testing.T) {
	for name, test := range map[string]struct {
		cpu  cpu
		want []CounterRate
	}{
		"AMD": {cpu{0: {0x10}, 0x15: {2, 216, 25e6}}, nil},
		"Skylake, crystal missing": {cpu{0: {0x16}, 0x15: {2, 216, 0}, 0x16: {2600, 3500, 100}},
			[]CounterRate{{Name: "CPUID 16H", HZ: 2.6e9, Nominal: true}}},
		"Ice Lake": {cpu{0: {0x1b}, 0x15: {2, 208, 25e6}, 0x16: {0xabcd<<16 | 2600}},
			[]CounterRate{{Name: "CPUID 15H", HZ: 2.6e9}, {Name: "CPUID 16H", HZ: 2.6e9, Nominal: true}}},
		"no ratio": {cpu{0: {0x16}, 0x15: {0, 208, 25e6}}, nil},
		"guest": {cpu{0: {0xd}, 1: {0, 0, 1 << 31}, 0x40000000: {0x40000010}, 0x40000010: {2_596_152, 1_000_000}},
			[]CounterRate{{Name: "CPUID 40000010H", HZ: 2_596_152_000}}},
		"guest without the leaf": {cpu{0: {0xd}, 1: {0, 0, 1 << 31}, 0x40000000: {0x40000001}, 0x40000010: {1e6}}, nil},
		"not a guest":            {cpu{0: {0xd}, 0x40000000: {0x40000010}, 0x40000010: {1e6}}, nil},
		"impossible":             {cpu{0: {0x16}, 0x15: {1, 1 << 31, 1 << 31}, 0x16: {1}}, nil},
	} {
		require.Equal(t, test.want, cpuid(test.cpu.id).rates(), name)
	}
}
