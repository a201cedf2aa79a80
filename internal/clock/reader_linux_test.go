package clock

import (
	"errors"
	"math"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The values of a Reader are compared with the same call made by golang.org/x/sys before and
// after.
func TestReadersAgreeWithTheKernel(t *testing.T) {
	for _, path := range []Path{VDSO, Syscall} {
		for _, c := range clockIDs {
			reader, err := open(path, clockGettime(c.id))
			if c.needs != "" && errors.Is(err, syscall.EINVAL) {
				continue // what it needs is not here
			}
			if err != nil {
				if path == Syscall {
					t.Errorf("%s: %v: if this kernel lacks what the clock needs, set `needs`", c.name, err)
				}
				continue
			}
			if c.kind == CPUTime {
				continue // another thread may be the one that asks next
			}
			requireBetween(t, reader, c.id, c.name+"@"+string(path))
		}
		for unit, forms := range map[time.Duration][]call{time.Microsecond: gettimeofday, time.Second: timeOfSeconds} {
			reader, err := open(path, forms)
			if err != nil {
				t.Log(err)
				continue
			}
			ticks := make([]int64, 1)
			reader.Read(ticks)
			require.InDelta(t, time.Now().UnixNano(), ticks[0]*int64(unit), float64(3*time.Second), "%s by %s", unit,
				path)
		}
	}
}

// requireBetween compares a read with the same clock before and after, by golang.org/x/sys.
func requireBetween(t *testing.T, reader Reader, id int32, name string) {
	t.Helper()
	var before, after unix.Timespec
	ticks := make([]int64, 1)
	require.NoError(t, unix.ClockGettime(id, &before))
	reader.Read(ticks)
	require.NoError(t, unix.ClockGettime(id, &after))
	require.LessOrEqual(t, before.Nano(), ticks[0], name)
	require.GreaterOrEqual(t, after.Nano(), ticks[0], name)
}

// On some CPUs the loop of system calls once made clock_gettime(2), whatever the number was.
func TestUserTimeOfAThreadIsShort(t *testing.T) {
	reader, err := open(Syscall, getrusage)
	require.NoError(t, err)
	ticks := make([]int64, 1)
	reader.Read(ticks)
	require.Less(t, ticks[0], time.Hour.Microseconds())
}

func TestReaderKeepsTheErrno(t *testing.T) {
	reader, err := open(Syscall, clockGettime(math.MaxInt32))
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
