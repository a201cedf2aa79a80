package clock

import (
	"math"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// After any reads, the next call stores its result away from the start of a page.
func TestResultsStayAwayFromTheStartsOfPages(t *testing.T) {
	opened, err := open(Syscall, clockGettime(unix.CLOCK_MONOTONIC))
	require.NoError(t, err)
	reader := opened.(*callReader)
	for _, reads := range []int{1, 10_000, 1} {
		reader.Read(make([]int64, reads))
		require.Equal(t, uintptr(pageBytes/2), uintptr(unsafe.Pointer(&reader.results[0]))%pageBytes, "%d reads", reads)
		require.GreaterOrEqual(t, len(reader.results), max(reads, leastWords))
	}
}

// BenchmarkPlaces shows why newResultBuffer chooses the address: it stores the results of a vDSO clock
// at the start and in the middle of each of many pages, and reports the cost of the slowest page.
func BenchmarkPlaces(b *testing.B) {
	const pages, reads, words = 1 << 15, 500, pageBytes / wordBytes
	opened, err := open(VDSO, clockGettime(unix.CLOCK_MONOTONIC))
	if err != nil {
		b.Skip(err)
	}
	reader := opened.(*callReader)
	memory := make([]int64, (pages+1)*words)
	for i := 0; i < len(memory); i += words {
		memory[i] = 1 // else the kernel gives no page
	}
	// minimum of several, which a slow page raises and a busy machine does not.
	quickest := func(spins int) float64 {
		best := math.Inf(1)
		for range spins {
			start := time.Now()
			reader.Spin(reads)
			best = min(best, float64(time.Since(start))/reads)
		}
		return best
	}
	for at, word := range map[string]int{"start": 0, "half": words / 2} {
		b.Run(at, func(b *testing.B) {
			cheapest, dearest := math.Inf(1), 0.0
			for b.Loop() {
				for page := range pages {
					reader.results = memory[page*words+word:]
					ns := quickest(4)
					if ns > dearest {
						ns = quickest(40)
					}
					cheapest, dearest = min(cheapest, ns), max(dearest, ns)
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(cheapest, "cheapest-ns")
			b.ReportMetric(dearest, "dearest-ns")
		})
	}
}
