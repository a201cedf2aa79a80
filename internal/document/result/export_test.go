package result

// The tests are in another package, since the sections import this one.
var Limits = limits

const (
	Most     = float64(most)
	MostText = mostText
)
