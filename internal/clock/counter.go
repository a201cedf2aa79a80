package clock

import (
	"errors"

	"github.com/timebench/timebench/internal/machine/native"
)

// The ids of the counters of all CPUs: the CPU may read plain counters earlier or later than in program order; ordered
// counters wait for earlier instructions. The best is first.
var (
	PlainCounters = []string{"RDTSC@cpu", "CNTVCT_EL0@cpu", "CNTVCT@cpu", "MFTB@cpu", "RDTIME@cpu", "RDTIME.D@cpu",
		"STCKF@cpu"}
	OrderedCounters = []string{"LFENCE+RDTSC@cpu", "RDTSCP@cpu", "ISB+CNTVCT_EL0@cpu", "ISB+CNTVCT@cpu", "STCK@cpu"}
)

func counterClocks() []Clock {
	var all []Clock
	for _, counter := range native.Counters() {
		hz := 0.0
		if counterAllowed() == nil { // the rate is forbidden together with the counter
			hz = float64(counter.Hz())
		}
		all = append(all, Clock{
			ID: counter.Name + "@cpu", Call: counter.Name, Path: CPU, Kind: Counter, Hz: hz, ReportedNS: notReported,
			Open: func() (Reader, error) {
				if !counter.Present {
					return nil, errors.New("this CPU has no such instruction")
				}
				if err := counterAllowed(); err != nil {
					return nil, err
				}
				return counterReader{counter}, nil
			},
		})
	}
	return all
}

// counterReader reads a CPU counter with an instruction.
type counterReader struct{ counter native.Counter }

func (r counterReader) Spin(n int) { r.counter.Spin(n) }

func (r counterReader) Read(ticks []int64) { r.counter.Read(&ticks[0], len(ticks)) }
