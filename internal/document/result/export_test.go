package result

// What the tests need, which are of no package that the sections import.
var KeyOf, Limits = key, limits

const (
	Most     = float64(most)
	MostText = mostText
)
