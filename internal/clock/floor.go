//go:build !freebsd && !openbsd && !netbsd

package clock

import (
	"errors"

	"github.com/timebench/timebench/internal/machine/native"
)

// errNoCalls is why clocks that are calls are unavailable.
var errNoCalls = errors.New("this build has no native loop for the calls of this system and CPU")

// OpenFloor returns a Reader whose read is an empty function, called by the same loop as the
// clocks that are calls. Its cost is part of the cost of each of them.
func OpenFloor() (Reader, error) {
	if !native.CanCall {
		return nil, errNoCalls
	}
	return floorReader{}, nil
}

type floorReader struct{}

func (floorReader) Spin(n int) { native.CallNothing(n) }

func (floorReader) Read(ticks []int64) {
	native.CallNothing(len(ticks))
	clear(ticks)
}
