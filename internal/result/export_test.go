package result

// What the tests need, which are of no package that the sections import.
var KeyOf, RequiredFields, Choosing = key, notRequired, choices

const (
	Most     = float64(most)
	MaxSize  = maxSize
	MostText = mostText
)
