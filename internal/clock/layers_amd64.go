//go:build linux || windows

package clock

import (
	"github.com/timebench/timebench/internal/machine/native"
)

// Ways to read the time stamp counter in order.
const (
	byRDTSCP = "RDTSCP"
	byLFENCE = "LFENCE"
)

// counterCalls returns a layer that reads the counter, and a layer that reads it in order, in the way ordered. inOrder
// has no Open if the way is unknown.
func counterCalls(ordered string) (plain, inOrder Layer) {
	plain = Layer{ID: "call of RDTSC", Adds: "read the counter (RDTSC)", Open: openSpinner(native.CallRDTSC)}
	switch {
	case ordered == byRDTSCP && native.HasRDTSCP():
		inOrder = Layer{ID: "call of RDTSCP", Adds: addsOrder + " (RDTSCP)", Open: openSpinner(native.CallRDTSCP)}
	case ordered == byLFENCE:
		inOrder = Layer{ID: "call of LFENCE+RDTSC", Adds: addsOrder + " (LFENCE)",
			Open: openSpinner(native.CallLFENCERDTSC)}
	}
	return plain, inOrder
}
