package watch

import (
	"maps"
	"slices"

	"github.com/timebench/timebench/internal/show/exposition"
	"github.com/timebench/timebench/internal/show/words"
)

// Metrics returns what only a watch knows, for Prometheus. The counters begin with the watch.
func (s *State) Metrics() []exposition.Family {
	quiet := exposition.Family{Name: "timebench_clock_read_quiet_seconds", Type: exposition.Gauge,
		Help: "Time of one read of the clock while nothing disturbs the CPU: the lowest level of the slices of " +
			"the last turn."}
	for _, id := range slices.Sorted(maps.Keys(s.QuietNS)) {
		quiet.Samples = append(quiet.Samples, exposition.Sample{Labels: []string{"clock", id}, Value: s.QuietNS[id] / 1e9})
	}
	events := exposition.Family{Name: "timebench_watch_events_total", Type: exposition.Counter,
		Help: "Events of timebench watch, by kind."}
	for _, kind := range Kinds {
		events.Samples = append(events.Samples, exposition.Sample{Labels: []string{"event", kind},
			Value: float64(s.Events[kind])})
	}
	all := []exposition.Family{quiet, events}
	if s.TimeSync != nil {
		all = append(all,
			exposition.One("timebench_wall_clock_synchronised", exposition.Gauge,
				"1 if the kernel reports that the wall clock is synchronised, 0 if not.",
				words.Either(s.TimeSync.Synchronised, 1.0, 0)),
			exposition.One("timebench_wall_clock_max_error_seconds", exposition.Gauge,
				"The maximum error of the wall clock by the kernel. It is 16 if nothing has set it for hours.",
				float64(s.TimeSync.MaxErrorNS)/1e9),
		)
	}
	return append(all,
		exposition.One("timebench_stall_seconds_total", exposition.Counter,
			"Time for which the machine did not run.", s.StallSeconds),
		exposition.One("timebench_suspend_seconds_total", exposition.Counter,
			"Time for which the machine was suspended.", s.SuspendSeconds),
		exposition.One("timebench_watch_turns_total", exposition.Counter, "Turns of timebench watch.", float64(s.Turns)),
		exposition.One("timebench_watch_start_timestamp_seconds", exposition.Gauge,
			"When timebench watch started, in Unix time.", float64(s.Started.UnixMilli())/1e3),
	)
}
