package clock

import (
	"errors"

	"github.com/klauspost/cpuid/v2"
	"github.com/timebench/timebench/internal/machine/native"
)

func counterClocks() []Clock {
	counter := func(name string, present bool, spin func(int), read func(*int64, int)) Clock {
		return Clock{
			ID: name + "@cpu", Call: name, Path: CPU, Kind: Counter, ReportedNS: notReported,
			Open: func() (Reader, error) {
				if !present {
					return nil, errors.New("this CPU has no such instruction")
				}
				if err := counterAllowed(); err != nil {
					return nil, err
				}
				return counterReader{spin, read}, nil
			},
		}
	}
	return []Clock{
		// Every x86-64 CPU has RDTSC and LFENCE; RDTSCP came later.
		counter("RDTSC", true, native.SpinRDTSC, native.ReadRDTSC),
		counter("LFENCE+RDTSC", true, native.SpinLFENCERDTSC, native.ReadLFENCERDTSC),
		counter("RDTSCP", cpuid.CPU.Supports(cpuid.RDTSCP), native.SpinRDTSCP, native.ReadRDTSCP),
	}
}
