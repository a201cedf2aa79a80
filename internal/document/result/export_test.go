package result

// What the tests need, which are of no package that the sections import.
var Limits = limits

const (
	Most     = float64(most)
	MostText = mostText
)
