package examine

import (
	"context"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/wake"
)

// wakeTime is how long doctor looks at wake-ups: enough sleeps for layers of 50 µs. It looks last: beside other work
// the CPUs do not idle, and a thread that keeps them awake shares the core with the measurement of the clocks.
const wakeTime = 500 * time.Millisecond

// wakeUps returns how late sleeps of 1 ms end, and why; nil if that was not measured. Its way of Linux has each layer but
// rounding, which is no fault of a machine; its way of Windows rounds to ticks. Other systems have no layers.
func wakeUps(ctx context.Context, cpu result.CPU, progress func(done, total time.Duration)) result.Section {
	ways, err := wake.Select([]string{"clock_nanosleep"})
	if err != nil {
		ways, err = wake.Select([]string{"Sleep@winapi"})
	}
	if err != nil || ctx.Err() != nil {
		return nil
	}
	settings := wake.Settings{Time: wakeTime, Spans: []time.Duration{time.Millisecond}, Quota: cpu.Quota > 0}
	w, err := wake.Run(ctx, ways, settings, progress)
	if err != nil {
		return nil
	}
	w.Timers.LargeSlacks = wake.LargeSlacks()
	return &w
}
