package clock

import "slices"

// A Step is a loop whose work is part of the read of a clock.
type Step struct {
	// ID is the same for the same loop, and that of a clock for its read.
	ID string
	// Adds names what the step does that the step before does not.
	Adds string
	// Open is as that of a Clock.
	Open func() (Reader, error)
}

// FloorID is the ID of the Step that is the empty call.
const FloorID = "empty call"

const addsCall = "call and return"

// nested returns the steps of the read of a clock: first the empty call, and last the read itself. Each contains the work
// of the one before. There are none if its parts are not known. enters is whether the read enters the kernel, as in
// [entry.Verdict].
func nested(c Clock, enters string) []Step {
	inner, last := systemSteps(c, enters)
	if len(inner) == 0 {
		return nil
	}
	return slices.Concat([]Step{{ID: FloorID, Adds: addsCall, Open: OpenFloor}}, inner, []Step{{ID: c.ID, Adds: last, Open: c.Open}})
}
