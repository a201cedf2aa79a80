package words

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCPUsAreListedShortly(t *testing.T) {
	require.Equal(t, "no CPU", CPUs(nil))
	require.Equal(t, "CPU 3", CPUs([]int{3, 3}))
	require.Equal(t, "CPUs 0 to 2 and 8", CPUs([]int{8, 2, 1, 0}))
	var many []int
	for i := range 40 {
		many = append(many, 2*i)
	}
	require.Equal(t, "CPUs 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 28 more", CPUs(many))
}

func TestBoundedGivesTheDigitsThatMeanSomething(t *testing.T) {
	for _, test := range []struct {
		value, bound float64
		want         string
	}{
		{-12.7512, 0.021, "-12.751 ± 0.021"}, {0, 0, "0.000 ± 0.000"}, {2596088900.123, 54.6, "2,596,088,900 ± 55"},
		{1, 1e-9, "1.000000 ± 0.000000"}, {-0.0001, 60, "0 ± 60"}, {-1e18, 1, "-1e+18 ± 1"}, {1, 1e30, "1 ± 1e+30"},
	} {
		require.Equal(t, test.want, Bounded(test.value, test.bound))
	}
}

func TestDurationsAreWorded(t *testing.T) {
	for value, want := range map[float64]string{
		0: "0 ns", 0.3852: "0.385 ns", 69.84: "69.8 ns", 999.9: "1 µs", 4e6: "4 ms", 1.25e6: "1.25 ms",
		999_992_000: "1 s", 9.994e8: "999 ms", 59.99e9: "60 s", 3600e9: "3,600 s", 1766016000e9: "1,766,016,000 s",
		1e30: "1e+21 s",
	} {
		require.Equal(t, want, Duration(value))
	}
}

func TestNumbersAreWordedToWhatTheyMean(t *testing.T) {
	for value, want := range map[float64]string{0: "0.00", 2.214: "2.21", 20.16: "20.2", 999.94: "999.9", 1000: "1,000",
		1234567: "1,234,567"} {
		require.Equal(t, want, NS(value))
	}
	for value, want := range map[float64]string{0: "0 /s", 950: "950 /s", 49.06e6: "49.1 M/s", 1.2e9: "1.2 G/s",
		2200: "2.2 k/s"} {
		require.Equal(t, want, Rate(value))
	}
}

func TestPlural(t *testing.T) {
	for want, got := range map[string]string{
		"0 threads": Plural(0, "thread"), "1 thread": Plural(1, "thread"), "2 threads": Plural(2, "thread"),
		"1 process": Plural(1, "process"), "2 processes": Plural(2, "process"),
	} {
		require.Equal(t, want, got)
	}
}
