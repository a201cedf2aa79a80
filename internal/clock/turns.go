//go:build (linux || windows) && (amd64 || arm64)

package clock

// turns makes of a counter of 32 bits one of 64, by counting how often it began
// anew.
type turns struct {
	last  uint32
	count int64
}

// unwrap takes consecutive values, of which the lower 32 bits count.
func (t *turns) unwrap(ticks []int64) {
	const half = 1 << 31
	for i, tick := range ticks {
		// A smaller step back is no turn: it is for the caller to see.
		if last := t.last; uint32(tick) < last && last-uint32(tick) > half {
			t.count++
		}
		t.last = uint32(tick)
		ticks[i] = t.count<<32 | int64(t.last)
	}
}
