//go:build linux || windows || darwin

package native

import "testing"

// A loop that lost its stack or its count would not return.
func TestCallsOfCountersReturn(t *testing.T) {
	loops := map[string]func(int){"CallNothing": CallNothing, "CallRDTSC": CallRDTSC,
		"CallLFENCERDTSC": CallLFENCERDTSC}
	if HasRDTSCP() {
		loops["CallRDTSCP"] = CallRDTSCP
	}
	for name, loop := range loops {
		t.Run(name, func(*testing.T) {
			for _, n := range []int{1, 2, 1000} {
				loop(n)
			}
		})
	}
}

// Each loop costs more than the one before:
//
//	go test ./internal/machine/native -run '^$' -bench CallCounter
func BenchmarkCallCounter(b *testing.B) {
	for _, loop := range []struct {
		name string
		call func(int)
	}{{"nothing", CallNothing}, {"RDTSC", CallRDTSC}, {"LFENCE+RDTSC", CallLFENCERDTSC}, {"RDTSCP", CallRDTSCP}} {
		b.Run(loop.name, func(b *testing.B) {
			for left := b.N; left > 0; left -= 10_000 {
				loop.call(min(left, 10_000))
			}
		})
	}
}
