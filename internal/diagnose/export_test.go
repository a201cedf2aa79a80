package diagnose

// For the tests of whole documents.
var (
	Worded     = worded
	IsTSCWrong = isTSCWrong
	Clocks     = clocks
)
