package clock

import "time"

func goClocks() []Clock {
	return []Clock{{
		ID: "time.Now@go", Call: "time.Now()", Path: Go, Kind: Wall, Hz: 1e9,
		ReportedNS: notReported, Coarse: goIsCoarse,
		Open: func() (Reader, error) { return goReader{}, nil },
	}}
}

// notReported is the ReportedNS of a clock about whose resolution the system
// says nothing.
func notReported() float64 { return 0 }

// goReader reads time.Now: the wall clock and the monotonic clock both, since
// that is what the call does.
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
