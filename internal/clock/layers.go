package clock

// A Layer is a loop whose work is part of the read of a clock.
type Layer struct {
	// ID identifies the loop; the read of a clock has the ID of the clock.
	ID string
	// Adds names what the loop does in addition to the previous loop.
	Adds string
	// Open is like Open of a Clock.
	Open func() (Reader, error)
}

// FloorID is the ID of the Layer that is the empty call.
const FloorID = "empty call"

// emptyCall is the layer of a function that does nothing.
var emptyCall = Layer{ID: FloorID, Adds: "call and return", Open: OpenFloor}

// nested returns the layers of the read of a clock, the read itself last. Each contains the work of the previous layer.
// nested returns nil if the parts are unknown. enters is whether the read enters the kernel, as in [entry.Verdict].
func nested(c Clock, enters string) []Layer {
	inner, last := systemLayers(c, enters)
	if len(inner) == 0 {
		return nil
	}
	return append(inner, Layer{ID: c.ID, Adds: last, Open: c.Open})
}
