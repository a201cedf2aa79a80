package words

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFiguresAreWorded(t *testing.T) {
	var many []int
	for i := range 40 {
		many = append(many, 2*i)
	}
	for want, got := range map[string]string{
		"no CPU": CPUs(nil), "CPU 3": CPUs([]int{3, 3}), "CPUs 0 to 2 and 8": CPUs([]int{8, 2, 1, 0}), "CPUs 1, 2 and 6": CPUs([]int{1, 2, 6}),
		"CPUs 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 28 more": CPUs(many),

		// The digits that mean something beside a bound.
		"-12.751 ± 0.021": Bounded(-12.7512, 0.021), "0.000 ± 0.000": Bounded(0, 0),
		"2,596,088,900 ± 55": Bounded(2596088900.123, 54.6), "1.000000 ± 0.000000": Bounded(1, 1e-9),
		"0 ± 60": Bounded(-0.0001, 60), "-1e+18 ± 1": Bounded(-1e18, 1), "1 ± 1e+30": Bounded(1, 1e30),

		"0 ns": Duration(0), "0.385 ns": Duration(0.3852), "69.8 ns": Duration(69.84), "1 µs": Duration(999.9),
		"4 ms": Duration(4e6), "1.25 ms": Duration(1.25e6), "1 s": Duration(999_992_000), "999 ms": Duration(9.994e8),
		"60 s": Duration(59.99e9), "3,600 s": Duration(3600e9), "1,766,016,000 s": Duration(1766016000e9),
		"1e+21 s": Duration(1e30),

		"0.00": NS(0), "2.21": NS(2.214), "20.2": NS(20.16), "999.9": NS(999.94), "1,000": NS(1000), "1,234,567": NS(1234567),
		"0 /s": Rate(0), "950 /s": Rate(950), "49.1 M/s": Rate(49.06e6), "1.2 G/s": Rate(1.2e9), "2.2 k/s": Rate(2200),

		"0 threads": Plural(0, "thread"), "1 thread": Plural(1, "thread"), "2 threads": Plural(2, "thread"),
		"1 process": Plural(1, "process"), "2 processes": Plural(2, "process"),
	} {
		require.Equal(t, want, got)
	}
}
