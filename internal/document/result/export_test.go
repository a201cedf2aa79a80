package result

// The tests need these. Their package is another one, since the sections import this one.
var Limits = limits

const (
	Most     = float64(most)
	MostText = mostText
)
