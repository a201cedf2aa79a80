package drift

import (
	"math"

	"github.com/timebench/timebench/internal/instrument/stats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// fewest is the min number of readings for a rate.
	fewest = 10
	// closest is the max correlation of neighbours that is used: above it, the readings are
	// one long wave, and more of them give no more information.
	closest = 0.99
)

// A line is a least-squares line through points, y over x.
type line struct {
	// slope is in units of y per unit of x; margin is half the width of its confidence interval.
	slope, margin float64
	// mean is the root mean square of the residuals; worst is the largest residual.
	mean, worst float64
}

// through returns the line through at least [fewest] points, whose x differ.
func through(x, y []float64) line {
	alpha, beta := stat.LinearRegression(x, y, nil, false)
	l := line{slope: beta}
	residuals := make([]float64, len(x))
	squares := 0.0
	for i := range x {
		residuals[i] = y[i] - alpha - beta*x[i]
		squares += residuals[i] * residuals[i]
		l.worst = max(l.worst, math.Abs(residuals[i]))
	}
	l.mean = math.Sqrt(squares / float64(len(x)))
	l.margin = margin(x, residuals)
	return l
}

// margin returns half the width of the slope's interval. White noise between neighbours can hide a slow wave that tilts
// the line by more than the noise would. So the residuals are averaged in ones, twos, fours and so on; margin returns
// the widest interval.
func margin(x, residuals []float64) (widest float64) {
	for len(x) >= fewest {
		widest = max(widest, tilt(x, residuals))
		x, residuals = pairs(x), pairs(residuals)
	}
	return widest
}

// tilt returns half the width of the slope's interval by Student's t. The number of independent residuals follows from
// their correlation with their neighbours (Santer et al., Journal of Geophysical Research 105, 2000, equations 3 to 6).
// A correlation that is estimated from few residuals is too low by (1+4r)/n (Kendall, Biometrika 41, 1954), which is
// corrected.
func tilt(x, residuals []float64) float64 {
	n := float64(len(x))
	center := stat.Mean(x, nil)
	spread, squares, neighbours := 0.0, 0.0, 0.0
	for i, r := range residuals {
		spread += (x[i] - center) * (x[i] - center)
		squares += r * r
		if i > 0 {
			neighbours += r * residuals[i-1]
		}
	}
	if squares == 0 {
		return 0
	}
	correlation := neighbours / squares
	correlation = min(max(correlation+(1+4*correlation)/n, 0), closest)
	freedom := max(n*(1-correlation)/(1+correlation)-2, 1)
	quantile := distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile((1 + stats.Confidence) / 2)
	return quantile * math.Sqrt(squares/freedom/spread)
}

func pairs(values []float64) []float64 {
	means := make([]float64, len(values)/2)
	for i := range means {
		means[i] = (values[2*i] + values[2*i+1]) / 2
	}
	return means
}
