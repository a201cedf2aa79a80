//go:build (linux || windows || darwin) && (amd64 || arm64)

package native

import "testing"

// A loop that lost its stack or its count would not return.
func TestCallsOfCountersReturn(*testing.T) {
	for _, loop := range append(CounterCalls(), CounterCall{Call: CallNothing}) {
		for _, n := range []int{1, 2, 1000} {
			loop.Call(n)
		}
	}
}
