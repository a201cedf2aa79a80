package thread

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// twoSockets is a small dual Xeon: two packages of two cores of two hyper-threads, numbered as
// Linux does: even CPUs in one package, hyper-threads in the upper half.
var twoSockets = []CPU{
	{ID: 0, Package: 0, Core: 0}, {ID: 1, Package: 1, Core: 0},
	{ID: 2, Package: 0, Core: 1}, {ID: 3, Package: 1, Core: 1},
	{ID: 4, Package: 0, Core: 0}, {ID: 5, Package: 1, Core: 0},
	{ID: 6, Package: 0, Core: 1}, {ID: 7, Package: 1, Core: 1},
}

// Compact fills a core, and then a package. Spread takes each package in turn, and hyper-threads last.
func TestOrdersOfCPUs(t *testing.T) {
	for _, test := range []struct {
		cpus            []CPU
		compact, spread []int
	}{
		{twoSockets, []int{0, 4, 2, 6, 1, 5, 3, 7}, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{[]CPU{twoSockets[6], twoSockets[1], twoSockets[2]}, []int{2, 6, 1}, []int{2, 1, 6}},
		{nil, []int{}, []int{}},
	} {
		require.Equal(t, test.compact, Compact(test.cpus))
		require.Equal(t, test.spread, Spread(test.cpus))
	}
}

func TestParseCPUs(t *testing.T) {
	for list, want := range map[string][]int{
		"0": {0}, "0,2,4-7": {0, 2, 4, 5, 6, 7}, "3,1": {3, 1}, "5-5": {5},
		"": nil, ",": nil, "a": nil, "-1": nil, "3-1": nil, "1-": nil, "1-2-3": nil, "0,": nil, "0,0": nil, "0-2,1": nil, "1, 2": nil,
		"99999999999999999999": nil, "0-99999999": nil,
	} {
		got, err := ParseCPUs(list)
		require.Equal(t, want == nil, err != nil, "%q", list)
		require.Equal(t, want, got, "%q", list)
	}
}

func FuzzParseCPUs(f *testing.F) {
	f.Add("0,2,4-7")
	f.Add("0-65536")
	f.Fuzz(func(t *testing.T, list string) {
		cpus, err := ParseCPUs(list)
		if (err == nil) != (len(cpus) > 0) {
			t.Fatalf("%d CPUs and error %v", len(cpus), err)
		}
		seen := map[int]bool{}
		for _, cpu := range cpus {
			if cpu < 0 || cpu > maxCPU || seen[cpu] {
				t.Fatalf("CPU %d of %q", cpu, list)
			}
			seen[cpu] = true
		}
	})
}
