package clock

import (
	"errors"
	"math"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// The values of a Reader are compared with the same call made by golang.org/x/sys before and
// after.
func TestReadersAgreeWithTheKernel(t *testing.T) {
	for _, way := range ways {
		for _, c := range clockIDs {
			reader, err := way.clockGettime(c.id)
			if c.needs != "" && errors.Is(err, syscall.EINVAL) {
				continue // what it needs is not here
			}
			if err != nil {
				require.Equal(t, VDSO, way.path, "%s: %v", c.name, err)
				continue
			}
			if c.kind == CPUTime {
				continue // another thread may be the one that asks next
			}
			var before, after unix.Timespec
			ticks := make([]int64, 1)
			require.NoError(t, unix.ClockGettime(c.id, &before))
			reader.Read(ticks)
			require.NoError(t, unix.ClockGettime(c.id, &after))
			require.LessOrEqual(t, before.Nano(), ticks[0], "%s@%s", c.name, way.path)
			require.GreaterOrEqual(t, after.Nano(), ticks[0], "%s@%s", c.name, way.path)
		}
		for unit, open := range map[time.Duration]func() (Reader, error){time.Microsecond: way.gettimeofday, time.Second: way.time} {
			reader, err := open()
			if err != nil {
				t.Log(err)
				continue
			}
			ticks := make([]int64, 1)
			reader.Read(ticks)
			require.InDelta(t, time.Now().UnixNano(), ticks[0]*int64(unit), float64(3*time.Second), "%s by %s", unit, way.path)
		}
	}
}

// Real C functions on a Go stack, which moves when it grows at the first call of each goroutine
// and when the garbage collector shrinks it: no value may be torn or lost.
func TestVDSOReadersSurviveConstantCollection(t *testing.T) {
	reader, err := ways[0].clockGettime(unix.CLOCK_MONOTONIC)
	if err != nil {
		need.Missing(t, "vdso", err.Error())
	}
	require.NotNil(t, reader)
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
	for range 8 {
		workers.Go(func() {
			assert.NoError(t, thread.Run(thread.Any, func() {
				for range 100 {
					reader, err := ways[0].clockGettime(unix.CLOCK_MONOTONIC)
					assert.NoError(t, err)
					ticks := make([]int64, 200)
					reader.Spin(50)
					reader.Read(ticks)
					for i := 1; i < len(ticks); i++ {
						assert.GreaterOrEqual(t, ticks[i], ticks[i-1])
						assert.Less(t, ticks[i]-ticks[0], int64(time.Minute))
					}
				}
			}))
		})
	}
	workers.Wait()
	close(stop)
	collector.Wait()
}

func TestReaderKeepsTheErrno(t *testing.T) {
	reader, err := ways[1].clockGettime(math.MaxInt32)
	require.ErrorIs(t, err, syscall.EINVAL)
	require.Nil(t, reader)
}

func TestReaderForgetsAFailureThatPassed(t *testing.T) {
	result := -int(syscall.ENODEV)
	r := clockReader(timespec, func(unsafe.Pointer, uintptr, int) int { return result })
	r.Spin(1)
	require.ErrorIs(t, r.Err(), syscall.ENODEV)
	result = 0
	r.Read(make([]int64, 2))
	require.NoError(t, r.Err())
}

func TestDynamicClockID(t *testing.T) {
	require.EqualValues(t, -5, dynamicClockID(0)) // ~0 << 3 | 3
	require.EqualValues(t, -29, dynamicClockID(3))
}

// A main counter with 32 bits that wraps between the opening of two Readers.
func TestHPETReadersAgreeOnTheWrap(t *testing.T) {
	registers := make([]byte, hpetRegisters)
	counter := (*uint32)(unsafe.Pointer(&registers[hpetMainCounter]))
	*counter = math.MaxUint32 - 1
	device := hpet{registers: registers, hz: wrapHz, wraps: newWraps(wrapHz)}
	first, err := device.open()
	require.NoError(t, err)
	ticks := make([]int64, 2)
	first.Read(ticks)
	require.Equal(t, []int64{math.MaxUint32 - 1, math.MaxUint32 - 1}, ticks)
	*counter = 5
	second, err := device.open()
	require.NoError(t, err)
	for _, reader := range []Reader{second, first} {
		reader.Read(ticks)
		require.Equal(t, []int64{1<<32 + 5, 1<<32 + 5}, ticks)
	}
	first.Spin(3)
}
