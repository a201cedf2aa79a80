package clock

import "github.com/timebench/timebench/internal/machine/native"

func counterClocks() []Clock {
	hz := 0.0
	if counterAllowed() == nil { // the frequency is forbidden together with the counter
		hz = float64(native.CounterHz())
	}
	counter := func(name string, spin func(int), read func(*int64, int)) Clock {
		return Clock{
			ID: name + "@cpu", Call: name, Path: CPU, Kind: Counter, Hz: hz, ReportedNS: notReported,
			Open: func() (Reader, error) {
				if err := counterAllowed(); err != nil {
					return nil, err
				}
				return counterReader{spin, read}, nil
			},
		}
	}
	return []Clock{
		counter("CNTVCT_EL0", native.SpinCNTVCT, native.ReadCNTVCT),
		counter("ISB+CNTVCT_EL0", native.SpinISBCNTVCT, native.ReadISBCNTVCT),
	}
}
