package thread

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBusyStops(t *testing.T) {
	procs, goroutines := runtime.GOMAXPROCS(0), runtime.NumGoroutine()
	stop := Busy(3, time.Hour)
	require.Equal(t, procs+3, runtime.GOMAXPROCS(0))
	require.GreaterOrEqual(t, runtime.NumGoroutine(), goroutines+3)
	stop()
	require.Equal(t, procs, runtime.GOMAXPROCS(0))
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > goroutines && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
}

// Nothing may be left to call stop, as where every CPU is kept busy under SCHED_FIFO.
func TestBusyEndsByItself(t *testing.T) {
	var over atomic.Bool
	spin(&over, time.Now().Add(10*time.Millisecond))
	require.False(t, over.Load())
}

// Current is asked of a thread that can be nowhere else.
func TestCurrentIsThatOfAPinnedThread(t *testing.T) {
	for _, cpu := range Usable() {
		at := Any
		if Run(cpu, func() { at = Current() }) != nil {
			require.Equal(t, Any, Current(), "a build that cannot pin threads")
			continue
		}
		require.Equal(t, cpu, at)
	}
}

// A loop with Pause in it does not hold up a collection, even with signals blocked.
func TestPauseLetsTheCollectorStopTheLoop(t *testing.T) {
	var over atomic.Bool
	done := make(chan error)
	go func() {
		done <- Run(Any, func() {
			for !over.Load() {
				Pause()
			}
		})
	}()
	runtime.GC()
	over.Store(true)
	require.NoError(t, <-done)
}
