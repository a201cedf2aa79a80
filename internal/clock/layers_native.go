//go:build (linux || windows) && (amd64 || arm64)

package clock

import "github.com/timebench/timebench/internal/document/result"

const (
	addsOrder   = "in order"
	addsConvert = "convert (sequence, multiply)"
)

// byCounter returns the layers inside a function that reads the counter of the CPU in user mode: the counter, and the
// counter in program order, if ordered is a known way. last is what the function adds to them. byCounter returns no
// layers if the function enters the kernel.
func byCounter(enters, ordered string) (layers []Layer, last string) {
	if enters != result.Never {
		return nil, ""
	}
	plain, inOrder := counterCalls(ordered)
	if inOrder.Open == nil {
		return []Layer{emptyCall, plain}, addsOrder + ", " + addsConvert
	}
	return []Layer{emptyCall, plain, inOrder}, addsConvert
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
