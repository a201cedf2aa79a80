package stats

import (
	"cmp"
	"slices"
)

// Holm returns the p values adjusted for their number by Holm's step-down method (Scandinavian
// Journal of Statistics 6, 1979, 65-70): if each adjusted value is compared with alpha, the
// family-wise false-positive rate is at most alpha. The order stays; the caller keeps ps.
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	adjusted := make([]float64, len(ps))
	highest := 0.0
	for rank, i := range order {
		highest = max(highest, min(1, ps[i]*float64(len(ps)-rank)))
		adjusted[i] = highest
	}
	return adjusted
}
