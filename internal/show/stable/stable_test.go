package stable

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The order is that of the standard library, with equal elements as they were.
func TestSortAsTheStandardLibrary(t *testing.T) {
	var all [][2]int
	for i := range 1000 {
		all = append(all, [2]int{i * 7919 % 31, i})
	}
	byFirst := func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) }
	want := slices.Clone(all)
	slices.SortStableFunc(want, byFirst)
	Sort(all, byFirst)
	require.Equal(t, want, all)
	Sort([]int(nil), cmp.Compare[int])
}
