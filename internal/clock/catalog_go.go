package clock

import "time"

func goClocks() []Clock {
	return []Clock{{
		ID: "time.Now@go", Call: "time.Now()", Path: Go, Kind: Wall, Hz: 1e9,
		ReportedNS: notReported, Coarse: goIsCoarse,
		Open: func() (Reader, error) { return goReader{}, nil },
	}}
}

// notReported is the ReportedNS of a clock whose resolution the system does not report.
func notReported() float64 { return 0 }

// goReader reads time.Now, which reads both the wall clock and the monotonic clock.
type goReader struct{}

func (goReader) Spin(n int) {
	for range n {
		_ = time.Now()
	}
}

func (goReader) Read(ticks []int64) {
	for i := range ticks {
		ticks[i] = time.Now().UnixNano()
	}
}
