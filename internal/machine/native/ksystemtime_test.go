//go:build amd64 || arm64

package native

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// kSystemTime is written in the order of the kernel: High2Time, LowPart, High1Time.
type kSystemTime struct{ low, high1, high2 atomic.Uint32 }

func (k *kSystemTime) store(value uint64) {
	k.high2.Store(uint32(value >> 32))
	k.low.Store(uint32(value))
	k.high1.Store(uint32(value >> 32))
}

// The writer carries from the low half into the high half at every step or two. A value with one
// old half would be wrong by 2^32: it would go backwards, or was never written.
func TestKSystemTimeIsNeverHalfNew(t *testing.T) {
	// If the collector or the scheduler stopped the writer half-way, the reader would wait in
	// code that neither can stop. Nothing stops the kernel.
	if runtime.GOMAXPROCS(0) < 2 {
		need.Missing(t, "cpus", "one CPU only")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const step = 1<<31 + 1
	k := new(kSystemTime)
	SpinKSystemTime(uintptr(unsafe.Pointer(k)), 5)
	var stop atomic.Bool
	var writer sync.WaitGroup
	writer.Go(func() {
		for value := uint64(0); !stop.Load(); value += step {
			k.store(value)
		}
	})
	defer writer.Wait()
	defer stop.Store(true)
	// Beside other programs the reader waits long for a writer that stopped half-way, so it makes few batches.
	ticks, last := make([]int64, 1000), int64(0)
	for range 100 {
		ReadKSystemTime(uintptr(unsafe.Pointer(k)), &ticks[0], len(ticks))
		for _, tick := range ticks {
			require.GreaterOrEqual(t, tick, last, "backwards")
			require.Zero(t, tick%step, "%#x was never written", tick)
			last = tick
		}
	}
	require.Greater(t, last, int64(1)<<32, "it has a high half")
	runtime.KeepAlive(k)
}
