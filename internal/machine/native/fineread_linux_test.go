//go:build amd64 || arm64

package native

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// fineData is not a local variable: the loop has only its address, and a stack moves.
var fineData FineData

// fineReads reads n times.
func fineReads(data FineData, n int) (times [][2]int64, result int) {
	fineData, times = data, make([][2]int64, n+1)
	return times, CallIDBuffer(FineRead(), uintptr(unsafe.Pointer(&fineData)), unsafe.Pointer(&times[0]), 16, n)
}

// With one nanosecond per tick, the times match the counter, which is read before and after. The mask keeps the ticks,
// and so the time, in a range.
func TestFineReadIsTheTimeOfTheCounter(t *testing.T) {
	readOrdered := Counters()[1].Read
	orders := []uint32{0}
	if HasRDTSCP() {
		orders = append(orders, 1)
	}
	for _, ordered := range orders {
		var before, after int64
		readOrdered(&before, 1)
		times, result := fineReads(FineData{Ordered: ordered, Last: uint64(before), Mask: 1<<62 - 1, Most: 1<<62 - 1,
			Mult: 1 << 10, Shift: 10, NS: 2_500_000_000 << 10, Seconds: 7}, 1000)
		readOrdered(&after, 1)
		require.Zero(t, result)
		require.Zero(t, times[1000], "it wrote past the last step")
		const first = 9_500_000_000
		previous := int64(first)
		for i, at := range times[:1000] {
			require.Equal(t, at[1], (at[1]+1e9)%1e9, "read %d: nanoseconds of a second", i)
			now := at[0]*1e9 + at[1]
			require.GreaterOrEqual(t, now, previous, "read %d", i)
			previous = now
		}
		require.LessOrEqual(t, previous, first+after-before)
		require.Greater(t, previous, int64(first))

		times, result = fineReads(FineData{Ordered: ordered, Mask: 255, Most: 255, Mult: 3, NS: 10, Seconds: 4}, 100)
		require.Zero(t, result)
		for i, at := range times[:100] {
			require.Equal(t, int64(4), at[0], "read %d", i)
			require.LessOrEqual(t, at[1], int64(255*3+10), "read %d", i)
			require.Equal(t, int64(1), at[1]%3, "read %d: %d", i, at[1])
		}
	}
}

// FineRead fails for more ticks than the multiplication has room for.
func TestFineReadGivesUp(t *testing.T) {
	times, result := fineReads(FineData{Mask: 1<<62 - 1, Most: 0, Mult: 1}, 2)
	require.Equal(t, -1, result)
	require.Zero(t, times[0])
}
