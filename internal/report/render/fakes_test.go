package render_test

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/measure"
	"github.com/timebench/timebench/internal/report/render"
)

// A faulty clock gives the values of a function, one every 10 ns or so, and fails
// when it is told to.
type faulty struct {
	value func(read int64) int64
	reads int64
	work  atomic.Int64
	err   error
}

// Spin works rather than waits: time.Now steps by milliseconds on Windows.
func (f *faulty) Spin(n int) {
	for range 2 * n {
		f.work.Add(1)
	}
	f.reads += int64(n)
}

func (f *faulty) Read(ticks []int64) {
	for i := range ticks {
		ticks[i] = f.value(f.reads)
		f.reads++
	}
}

func (f *faulty) Err() error { return f.err }

// What is wrong with a clock is told in the table, from a Reader all the way.
func TestFaultyClocksReachTheTable(t *testing.T) {
	faultyClock := func(id string, err error, value func(read int64) int64) clock.Clock {
		return clock.Clock{
			ID: id, Call: id, Path: "fake", Kind: clock.Monotonic, Hz: 1e9, ReportedNS: func() float64 { return 1 },
			Open: func() (clock.Reader, error) { return &faulty{value: value, err: err}, nil },
		}
	}
	clocks := []clock.Clock{
		faultyClock("stalls@fake", nil, func(int64) int64 { return 7 }),
		faultyClock("repeats@fake", nil, func(read int64) int64 { return read / 50 * 2000 }),
		faultyClock("backwards@fake", nil, func(read int64) int64 {
			if read%1000 == 999 {
				return read*20 - 320
			}
			return read * 20
		}),
		faultyClock("fails@fake", errors.New("no such device"), func(read int64) int64 { return read }),
		{
			ID: "absent@fake", Path: "fake", ReportedNS: func() float64 { return 0 },
			Open: func() (clock.Reader, error) { return nil, errors.New("permission denied") },
		},
	}
	measured, err := measure.Run(context.Background(), clocks, measure.Settings{Threads: []int{1}, Rounds: 6, Time: 5 * time.Millisecond, CPUs: 1}, nil)
	require.NoError(t, err)
	var table bytes.Buffer
	document := &result.Document{
		Schema: result.Schema, Settings: result.Settings{Threads: []int{1}, Rounds: 6, TimeNS: 5e6, Pin: "none", Workers: "threads"},
		Sections: []result.Section{&compare.Costs{Clocks: measured.Clocks}}, Conditions: &measured.Conditions,
	}
	document.Warnings = diagnose.Noise(document)
	require.NoError(t, render.OfDocument(document).Text(&table))
	require.Regexp(t, `(?m)^stalls@fake .* > [\d.]+ m?s +1 ns$`, table.String())
	require.Regexp(t, `(?m)^repeats@fake .* 2 µs +1 ns$`, table.String())
	require.Regexp(t, `(?m)^backwards@fake .* < one read +1 ns$`, table.String())
	require.Regexp(t, `Warning: a clock went backwards while it was watched: backwards@fake \d+ times by\s+up to 300 ns`, table.String())
	require.Contains(t, table.String(), "\nfails@fake   failed while it was read: no such device\n")
	require.Contains(t, table.String(), "\nabsent@fake  permission denied\n")
}
