//go:build linux || windows

package clock

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const wrapHz = 14_318_180 // of most HPETs

// A fakeCounter counts with the time of a fake second clock, from a start value.
type fakeCounter struct {
	ns, from int64
}

func (c *fakeCounter) now() int64 { return c.ns }

// ticks is the true value.
func (c *fakeCounter) ticks() int64 { return c.from + int64(float64(c.now())*wrapHz/1e9) }

// load reads the lower half. The upper half of a 32-bit result is undefined.
func (c *fakeCounter) load(ticks []int64) {
	for i := range ticks {
		ticks[i] = 0x5_00000000 | int64(uint32(c.ticks()))
	}
}

// wrapNS is the duration of a wrap.
func wrapNS(wraps float64) int64 { return int64(wraps * wrap / wrapHz * 1e9) }

// read makes one read through the wraps that the Readers of a device share.
func (c *fakeCounter) read(t *wraps) int64 {
	ticks := make([]int64, 1)
	t.read(ticks, c.load, c.now)
	return ticks[0]
}

// Rare reads: several wraps pass between two reads, and the device runs 500 ppm faster than it
// reports.
func TestWrapsWithoutARead(t *testing.T) {
	counter, shared := &fakeCounter{from: 12345}, newWraps(wrapHz/1.0005)
	for _, wraps := range []float64{0, 0.3, 0.6, 1, 1.5, 3.7, 100.2} {
		counter.ns += wrapNS(wraps)
		require.Equal(t, counter.ticks(), counter.read(shared), "after %v wraps more", wraps)
	}
	// A sighting is replaced, so that the error of the rate does not accumulate.
	for range 5000 {
		counter.ns += wrapNS(0.9)
		require.Equal(t, counter.ticks(), counter.read(shared))
	}
}

// The counter wraps within one call. A small step back is a fault of the counter.
func TestWrapWithinACall(t *testing.T) {
	shared := newWraps(wrapHz)
	ticks := []int64{wrap - 2, 0x7_ffffffff, 3, 0x5_00000004, 1}
	shared.unwrap(ticks, 0)
	require.Equal(t, []int64{wrap - 2, wrap - 1, wrap + 3, wrap + 4, wrap + 1}, ticks)
}

// A thread is stopped for more than half a wrap during a call. In the values alone this looks
// like a step back.
func TestStoppedWithinACall(t *testing.T) {
	counter, shared := &fakeCounter{from: 1000}, newWraps(wrapHz)
	stopped := false
	ticks := make([]int64, 2)
	shared.read(ticks, func(ticks []int64) {
		counter.load(ticks[:1])
		if !stopped {
			stopped = true
			counter.ns += wrapNS(0.7)
		}
		counter.load(ticks[1:])
	}, counter.now)
	require.Equal(t, []int64{counter.ticks(), counter.ticks()}, ticks, "the reads are made again")
}
