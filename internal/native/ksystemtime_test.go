//go:build amd64 || arm64

package native

import (
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// kSystemTime is written as the kernel writes one: High2Time, LowPart, High1Time.
type kSystemTime struct{ low, high1, high2 atomic.Uint32 }

func (k *kSystemTime) store(value uint64) {
	k.high2.Store(uint32(value >> 32))
	k.low.Store(uint32(value))
	k.high1.Store(uint32(value >> 32))
}

func TestKSystemTimeHasBothHalves(t *testing.T) {
	k := new(kSystemTime)
	k.store(0x01dd_1234_89ab_cdef)
	ticks := []int64{0, 0, -1}
	ReadKSystemTime(uintptr(unsafe.Pointer(k)), &ticks[0], 2)
	SpinKSystemTime(uintptr(unsafe.Pointer(k)), 5)
	require.Equal(t, []int64{0x01dd_1234_89ab_cdef, 0x01dd_1234_89ab_cdef, -1}, ticks)
	runtime.KeepAlive(k)
}

// A writer carries from the low half into the high one at every step. A value with
// one old half would be off by 2^32, so backwards or far ahead.
func TestKSystemTimeIsNeverHalfNew(t *testing.T) {
	k := new(kSystemTime)
	var value, ended atomic.Uint64
	go func() {
		for v := uint64(0); ended.Load() == 0; v += 1<<31 + 1 {
			value.Store(v)
			k.store(v)
		}
		ended.Store(2)
	}()
	ticks := make([]int64, 100)
	last := int64(0)
	for value.Load() < 1<<50 {
		ReadKSystemTime(uintptr(unsafe.Pointer(k)), &ticks[0], len(ticks))
		for _, tick := range ticks {
			if tick < last {
				t.Fatalf("%#x after %#x", tick, last)
			}
			if n := tick / (1<<31 + 1); tick != n*(1<<31+1) {
				t.Fatalf("%#x was never written", tick)
			}
			last = tick
		}
	}
	require.NotZero(t, last)
	ended.Store(1)
	for ended.Load() != 2 {
		runtime.Gosched()
	}
	runtime.KeepAlive(k)
}
