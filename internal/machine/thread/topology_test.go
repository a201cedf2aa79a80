package thread

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
