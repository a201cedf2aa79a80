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
run wake timebench wake nanosleep timerfd poll --spans 100us,1ms --duration 15s --format json
run wake-of-user su user -c 'timebench wake nanosleep --spans 1ms --duration 5s --format json'
run doctor timebench doctor --format json
`

// ofSleeps are the kinds of findings on sleeps.
var ofSleeps = []string{"early-wake-ups", "coarse-timers", "timer-slack", "slow-idle-exit"}

// TestWake plants boot parameters. Only without high-resolution timers do sleeps end at ticks, and doctor names the
// parameter; otherwise it finds no fault of sleeps. No way is early.
func TestWake(t *testing.T) {
	for boots, cause := range map[string]string{
		"":            "",
		"highres=off": "^coarse-timers: .*The boot parameter highres=off turns",
		"nohz=off":    "", // the tick never stops, but high-resolution timers do not need that
	} {
		t.Run(boots, func(t *testing.T) {
			said := named("tsc").boots(boots).run(t, wakeScript)
			var causes []string
			for _, f := range document(t, said["doctor"]).Findings {
				t.Log(f.Severity, f.Kind, f.Evidence)
				if slices.Contains(ofSleeps, f.Kind) && f.Severity != result.Note {
					causes = append(causes, f.Kind+": "+f.Cause)
				}
			}
			if cause == "" {
				require.Empty(t, causes)
			} else {
				require.Len(t, causes, 1)
				require.Regexp(t, cause, causes[0])
			}
			for _, name := range []string{"wake", "wake-of-user"} {
				d := wake.Of(document(t, said[name]))
				tick := d.Timers.ResolutionNS
				require.Equal(t, cause == "", tick == 1, "a resolution of %d ns", tick)
				t.Logf("%s: %+v", name, d.Timers)
				for _, way := range d.Ways {
					require.True(t, way.Available, "%s: %s", way.ID, way.Reason)
					for _, s := range way.Spans {
						t.Logf("%s of %d ns: min %.0f, median %.0f, max %.0f ns late, %v", way.ID, s.SpanNS, s.MinLateNS, s.MedianLateNS,
							s.MaxLateNS, s.Layers)
						require.Zero(t, s.Early, way.ID)
						// A sleep that begins anywhere ends at a tick, the last one before the deadline at the earliest.
						require.True(t, tick == 1 || s.MaxLateNS >= float64(tick)/2, "%s: %v", way.ID, s)
					}
				}
			}
		})
	}
}
