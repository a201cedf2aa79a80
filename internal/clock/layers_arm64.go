//go:build linux || windows

package clock

import "github.com/timebench/timebench/internal/machine/native"

// byISB is the way to read CNTVCT_EL0 in order.
const byISB = "ISB"

// counterCalls returns a layer that reads the counter, and a layer that reads it in order, in the way ordered. inOrder
// has no Open if the way is unknown.
func counterCalls(ordered string) (plain, inOrder Layer) {
	plain = Layer{ID: "call of CNTVCT_EL0", Adds: "read the counter (CNTVCT_EL0)", Open: openSpinner(native.CallCNTVCT)}
	if ordered == byISB {
		inOrder = Layer{ID: "call of ISB+CNTVCT_EL0", Adds: addsOrder + " (ISB)",
			Open: openSpinner(native.CallISBCNTVCT)}
	}
	return plain, inOrder
}
