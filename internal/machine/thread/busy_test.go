package thread

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

func TestBusyStops(t *testing.T) {
	procs, goroutines := runtime.GOMAXPROCS(0), runtime.NumGoroutine()
	stop := Busy(3, time.Hour)
	require.Equal(t, procs+3, runtime.GOMAXPROCS(0))
	require.GreaterOrEqual(t, runtime.NumGoroutine(), goroutines+3)
	need.Ends(t, "stop of Busy", stop)
	require.Equal(t, procs, runtime.GOMAXPROCS(0))
	need.Until(t, "the end of the goroutines", func() bool { return runtime.NumGoroutine() <= goroutines })
}

// Busy ends even if nothing can call stop, as when every CPU is busy under SCHED_FIFO.
func TestBusyEndsByItself(t *testing.T) {
	var over atomic.Bool
	defer over.Store(true)
	need.Ends(t, "spin with a deadline in 10 ms", func() { spin(&over, time.Now().Add(10*time.Millisecond)) })
	require.False(t, over.Load())
}

// A loop with Pause does not delay a garbage collection, even with signals blocked. A delayed
// collection stops every other goroutine, so the loop itself must time out.
func TestPauseLetsTheCollectorStopTheLoop(t *testing.T) {
	const most = int64(1) << 32 // many seconds
	var over atomic.Bool
	var began sync.WaitGroup
	began.Add(1)
	loops := int64(0)
	done := make(chan error, 1)
	go func() {
		done <- Run(Any, func() {
			began.Done()
			for !over.Load() && loops < most {
				loops++
				Pause()
			}
		})
	}()
	began.Wait()
	runtime.GC()
	over.Store(true)
	require.NoError(t, <-done)
	require.Less(t, loops, most, "the collector waited for the end of the loop")
}
