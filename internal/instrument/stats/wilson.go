package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Wilson returns the score interval of a share: if some of all samples have a property, the share in the whole
// population lies between low and high with this confidence. It holds for few samples and for shares near 0 and 1,
// where the normal approximation does not. some may be an estimate between 0 and all; with no sample the interval is
// from 0 to 1.
//
// E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference, Journal of
// the American Statistical Association 22 (1927).
func Wilson(some, all, confidence float64) (low, high float64) {
	if all <= 0 {
		return 0, 1
	}
	z := distuv.UnitNormal.Quantile((1 + confidence) / 2)
	share := some / all
	middle := (share + z*z/(2*all)) / (1 + z*z/all)
	half := z / (1 + z*z/all) * math.Sqrt(share*(1-share)/all+z*z/(4*all*all))
	return max(0, min(middle-half, share)), min(1, max(middle+half, share))
}
