package compare

// Tests in package compare_test make documents, and use these names.
var (
	Bands       = bands
	Machine     = machine
	Percentiles = percentiles
)

type PercentileTicks = percentileTicks
