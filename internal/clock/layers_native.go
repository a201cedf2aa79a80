//go:build (linux || windows) && (amd64 || arm64)

package clock

import (
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/native"
)

// byCounter returns the layers inside a function that reads the counter of the CPU in user mode: the counter, and the
// counter in program order, if ordered is a known way. last is what the function adds to them. byCounter returns no
// layers if the function enters the kernel.
func byCounter(enters, ordered string) (layers []Layer, last string) {
	if enters != result.Never {
		return nil, ""
	}
	const order, convert = "in order", "convert (sequence, multiply)"
	layers, last = []Layer{emptyCall}, order+", "+convert
	for _, call := range native.CounterCalls() {
		adds := "read the counter (" + call.Name + ")"
		switch call.Order {
		case "":
		case ordered:
			adds, last = order+" ("+ordered+")", convert
		default:
			continue
		}
		layers = append(layers, Layer{ID: "call of " + call.Name, Adds: adds, Open: openSpinner(call.Call)})
	}
	return layers, last
}

func openSpinner(spin func(n int)) func() (Reader, error) {
	return func() (Reader, error) {
		if err := counterAllowed(); err != nil {
			return nil, err
		}
		return spinner(spin), nil
	}
}

// A spinner is a Reader for a loop without values.
type spinner func(n int)

func (s spinner) Spin(n int) { s(n) }

func (s spinner) Read(ticks []int64) {
	s(len(ticks))
	clear(ticks)
}
