//go:build amd64 || arm64

package native

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// orders are the values of FineData.Ordered that this CPU can do.
func orders() []uint32 {
	if runtime.GOARCH == "amd64" && HasRDTSCP() {
		return []uint32{0, 1}
	}
	return []uint32{0}
}

// fineData is not a local variable: the loop has only its address, and a stack moves.
var fineData FineData

// fineReads reads n times.
func fineReads(data FineData, n int) (times [][2]int64, result int) {
	fineData = data
	times = make([][2]int64, n+1)
	result = CallIDBuffer(FineRead(), uintptr(unsafe.Pointer(&fineData)), unsafe.Pointer(&times[0]), 16, n)
	return times, result
}

// With one nanosecond per tick, the times match the counter, which is read before and after.
func TestFineReadIsTheTimeOfTheCounter(t *testing.T) {
	for _, ordered := range orders() {
		var before, after int64
		readOrdered(&before, 1)
		data := FineData{Ordered: ordered, Last: uint64(before), Mask: 1<<62 - 1, Most: 1<<62 - 1, Mult: 1 << 10,
			Shift: 10, NS: 2_500_000_000 << 10, Seconds: 7}
		times, result := fineReads(data, 1000)
		readOrdered(&after, 1)
		require.Zero(t, result)
		require.Zero(t, times[1000], "it wrote past the last step")
		previous := int64(9_500_000_000)
		for i, at := range times[:1000] {
			require.GreaterOrEqual(t, at[1], int64(0), "read %d", i)
			require.Less(t, at[1], int64(1e9), "read %d", i)
			now := at[0]*1e9 + at[1]
			require.GreaterOrEqual(t, now, previous, "read %d", i)
			previous = now
		}
		require.LessOrEqual(t, previous, 9_500_000_000+after-before)
		require.Greater(t, previous, int64(9_500_000_000))
	}
}

// The mask keeps the ticks, and so the time, in a range.
func TestFineReadMasksTheTicks(t *testing.T) {
	for _, ordered := range orders() {
		times, result := fineReads(FineData{Ordered: ordered, Mask: 255, Most: 255, Mult: 3, NS: 10, Seconds: 4}, 100)
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
