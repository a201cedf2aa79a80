// Package stable sorts slices with one copy of the code. The standard library has a copy for each type of elements, which
// were 160 kB of the program.
package stable

import "sort"

// Sort sorts a slice by a comparison, as [slices.SortStableFunc] does.
func Sort[T any](all []T, compare func(a, b T) int) {
	sort.SliceStable(all, func(i, j int) bool { return compare(all[i], all[j]) < 0 })
}
