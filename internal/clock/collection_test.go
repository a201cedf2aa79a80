//go:build linux || windows

package clock

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/machine/thread"
)

// survive reads clocks on several threads under constant garbage collection: no value may be torn or lost.
func survive(t *testing.T, threads int, open func() (reader Reader, hz float64, err error)) {
	t.Helper()
	stop := make(chan struct{})
	var collector, workers sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	for range threads {
		workers.Go(func() {
			assert.NoError(t, thread.Run(thread.Any, func() {
				for range 100 {
					reader, hz, err := open()
					if !assert.NoError(t, err) {
						return
					}
					ticks := make([]int64, 200)
					reader.Spin(50)
					reader.Read(ticks)
					for i := 1; i < len(ticks); i++ {
						assert.GreaterOrEqual(t, ticks[i], ticks[i-1])
						assert.Less(t, float64(ticks[i]-ticks[0])/hz, 60.0)
					}
				}
			}))
		})
	}
	workers.Wait()
	close(stop)
	collector.Wait()
}

// requireSpins opens a layer and spins.
func requireSpins(t *testing.T, s Layer) {
	t.Helper()
	require.NoError(t, Use(Clock{ID: s.ID, Open: s.Open}, func(reader Reader) {
		reader.Spin(100)
		assert.NoError(t, Failure(reader), s.ID)
	}), s.ID)
}
