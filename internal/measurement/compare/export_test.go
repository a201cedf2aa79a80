package compare

// What the tests need that make up documents, for which they stand in a package of their own.
var (
	Bands          = bands
	DrawScatter    = drawScatter
	HasResolution  = hasResolution
	Lines          = lines
	Machine        = machine
	Percentiles    = percentiles
	Perfect        = perfect
	ReadsPerSecond = readsPerSecond
	ScatterHeight  = scatterHeight
	Spots          = spots
)

const SpotRadius = spotRadius

type PercentileTicks = percentileTicks

func (s spot) Clock() Clock { return s.clock }

func (s spot) ResolutionNS() float64 { return s.resolutionNS }
