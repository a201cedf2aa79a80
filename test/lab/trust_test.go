//go:build lab && linux

package lab

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
)

const verifyScript = `
run verify timebench verify --format json --all
run verify-loaded timebench verify --format json --load --duration 3s
`

// checkVerify checks that no clock of the machine has a fault, however busy the computer is that emulates it: emulated
// CPUs have the same time.
func (w world) checkVerify(t *testing.T, said outputs) {
	for _, name := range []string{"verify", "verify-loaded"} {
		if said[name].status != 0 { // on a slow host
			require.Regexp(t, "could not be verified; .*; use a longer --duration", said[name].stderr)
		}
		v := verify.Of(document(t, said[name]))
		require.Len(t, v.CPUs, w.cpus())
		require.Empty(t, v.LostCPUs)
		require.Equal(t, name == "verify-loaded", v.Load)
		require.True(t, v.Held(), "%+v", v.Clocks)
		// On a slow machine the CPUs may not meet while a single clock is compared.
		compared := slices.ContainsFunc(v.Clocks, func(c verify.VerifiedClock) bool { return c.Across != nil })
		require.Equal(t, w.cpus() > 1, compared, "clocks that were compared across CPUs")
		for _, id := range []string{"CLOCK_MONOTONIC@syscall", "CLOCK_MONOTONIC@vdso"} {
			if id == "CLOCK_MONOTONIC@vdso" && w.vdso == "" {
				continue
			}
			c := first(t, v.Clocks, func(c verify.VerifiedClock) bool { return c.ID == id })
			if strings.Contains(c.Reason, "use a longer --duration") {
				continue
			}
			want := verify.IsMonotonic
			if c.Across == nil {
				want = verify.NotCompared
			}
			require.Equal(t, want, c.Verdict, id)
			if id == "CLOCK_MONOTONIC@vdso" {
				require.NotNil(t, c.Bracket)
				require.Positive(t, c.Bracket.Brackets)
			}
		}
	}
}

const skewScript = `
run skew timebench skew --format json --duration 2s
`

func (w world) checkSkew(t *testing.T, said outputs) {
	measured := 0
	for _, c := range skew.Of(document(t, said.ok(t, "skew"))).Clocks {
		if w.vdso == "" && c.ID == "CLOCK_MONOTONIC@vdso" {
			continue
		}
		require.Len(t, c.Pairs, w.cpus()*(w.cpus()-1)/2-len(c.MissingPairs), "%+v", c)
		for _, missing := range c.MissingPairs { // a slow host
			require.Contains(t, missing.Reason, "use a longer --duration", c.ID)
		}
		for _, pair := range c.Pairs {
			require.False(t, pair.Apart(), "%s: %+v", c.ID, pair)
		}
		measured += len(c.Pairs)
	}
	require.Positive(t, measured)
}

// The last CPU goes offline while clocks are verified or compared, and comes back.
const (
	unpluggedVerifyScript = `
unplug() { (sleep "$1"; echo 0 >/sys/devices/system/cpu/cpuLAST/online) & }
plug() { echo 1 >/sys/devices/system/cpu/cpuLAST/online; }
unplug 2
run unplugged timebench verify --format json --duration 6s CLOCK_MONOTONIC time.Now@go
plug
`
	unpluggedScript = `
for how in pin=spread pin=none workers=processes; do
  unplug 3
  run unplugged-$how timebench compare --format json --$how --threads 1,CPUS --rounds 60 --throughput-time 1s \
    CLOCK_MONOTONIC time.Now@go
  plug
done
`
)

func (w world) checkUnpluggedVerify(t *testing.T, said outputs) {
	v := verify.Of(document(t, said.ok(t, "unplugged")))
	require.Equal(t, []int{w.cpus() - 1}, v.LostCPUs)
	require.True(t, v.Held(), "%+v", v.Clocks)
}

// checkUnplugged checks that clocks keep their complete figures when a CPU goes offline. A run that is pinned to the
// CPU ends.
func (w world) checkUnplugged(t *testing.T, said outputs) {
	for _, how := range []string{"pin=spread", "pin=none", "workers=processes"} {
		one := said["unplugged-"+how]
		if how == "pin=spread" {
			require.Equal(t, 1, one.status, "%s: %s\n%s", how, one.stdout, one.stderr)
			lost := fmt.Sprintf("CPU %d (went away|can no longer be used)", w.cpus()-1)
			require.Regexp(t, lost, one.stderr, how)
		} else {
			require.Zero(t, one.status, "%s: %s\n%s", how, one.stdout, one.stderr)
		}
		d := document(t, one)
		require.LessOrEqual(t, d.Conditions.OtherCPUs, float64(w.cpus()), how)
		for _, c := range compare.Of(d).Clocks {
			if c.Path == "vdso" && w.vdso == "" {
				continue
			}
			require.True(t, c.Available, "%s: %s: %s", how, c.ID, c.Reason)
			// A slow host leaves the machine no time for all rounds.
			require.Len(t, c.Latency.SamplesNS, cmp.Or(d.Conditions.CompleteRounds, 60), how)
			require.NotEmpty(t, c.Throughput, how)
		}
	}
}

const driftScript = `
run drift timebench drift --format json --load --duration 3s
`

// checkDrift checks that the rates of the counters agree with the rates that the kernel measured at boot, within the
// error of the kernel, and that clocks with the same base do not drift.
func (world) checkDrift(t *testing.T, said outputs) {
	d := drift.Of(document(t, said.ok(t, "drift")))
	told := 0
	for _, c := range d.Clocks {
		for _, rate := range []*drift.DriftRate{c.Idle, c.Loaded} {
			if rate == nil || rate.PPM == nil {
				continue
			}
			told++
			require.Less(t, math.Abs(*rate.PPM), 20_000+rate.IntervalPPM, c.ID)
		}
	}
	require.Positive(t, told)
}
