//go:build lab && linux

package lab

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/wake"
)

const wakeScript = `
run wake timebench wake nanosleep timerfd poll --spans 100us,1ms --duration 20s --format json
run wake-of-user su user -c 'timebench wake nanosleep --spans 1ms --duration 5s --format json'
run wake-table timebench wake nanosleep timerfd poll --spans 100us,1ms --duration 20s
run doctor timebench doctor --format json
`

// TestWake has sleeps end at ticks, by highres=off, and exactly, without it. No way is early. Doctor names the cause.
func TestWake(t *testing.T) {
	for _, high := range []bool{true, false} {
		w := worlds[slices.IndexFunc(worlds, func(w world) bool { return w.name == "tsc" })]
		w.host, w.machine = nil, slices.Clone(w.machine)
		if !high {
			w.boots("highres=off")
		}
		said := w.run(t, wakeScript)
		t.Log(said["wake-table"].stdout)
		var causes []string
		for _, f := range document(t, said["doctor"]).Findings {
			if f.Kind != unsynchronised && f.Severity != result.Note {
				causes = append(causes, f.Kind+": "+f.Cause)
			}
		}
		if high {
			require.Empty(t, causes)
		} else {
			require.Len(t, causes, 1)
			require.Regexp(t, "^coarse-timers: .*The boot parameter highres=off turns", causes[0])
		}
		for _, name := range []string{"wake", "wake-of-user"} {
			d := wake.Of(document(t, said[name]))
			tick := d.Timers.ResolutionNS
			require.Equal(t, high, tick == 1, "a resolution of %d ns", tick)
			for _, way := range d.Ways {
				require.True(t, way.Available, "%s: %s", way.ID, way.Reason)
				for _, s := range way.Spans {
					require.Zero(t, s.Early, way.ID)
					// A sleep that begins anywhere ends at a tick, the last one before the deadline at the earliest.
					require.True(t, high || s.MaxLateNS >= float64(tick)/2, "%s: %v", way.ID, s)
				}
			}
		}
	}
}
