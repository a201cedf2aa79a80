package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Line returns the least-squares line through points whose x differ: y = intercept + slope·x.
func Line(x, y []float64) (intercept, slope float64) {
	centerX, centerY := Mean(x), Mean(y)
	spread, together := 0.0, 0.0
	for i := range x {
		spread += (x[i] - centerX) * (x[i] - centerX)
		together += (x[i] - centerX) * (y[i] - centerY)
	}
	slope = together / spread
	return centerY - slope*centerX, slope
}

// StudentT returns by how many standard errors an estimate is off at most, with this confidence: the quantile of both
// sides of Student's t distribution.
func StudentT(confidence, freedom float64) float64 {
	t := mathext.InvRegIncBeta(freedom/2, 0.5, 1-confidence)
	return math.Sqrt(freedom * (1 - t) / t)
}
