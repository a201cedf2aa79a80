//go:build (linux || windows || darwin) && (amd64 || arm64)

package native

import "testing"

// loops are the loops of calls, each with more work than the one before.
func loops() []CounterCall {
	return append([]CounterCall{{"nothing", "", CallNothing}}, CounterCalls()...)
}

// A loop that lost its stack or its count would not return.
func TestCallsOfCountersReturn(*testing.T) {
	for _, loop := range loops() {
		for _, n := range []int{1, 2, 1000} {
			loop.Call(n)
		}
	}
}

// Each loop costs more than the one before:
//
//	go test ./internal/machine/native -run '^$' -bench CallCounter
func BenchmarkCallCounter(b *testing.B) {
	for _, loop := range loops() {
		b.Run(loop.Name, func(b *testing.B) {
			for left := b.N; left > 0; left -= 10_000 {
				loop.Call(min(left, 10_000))
			}
		})
	}
}
