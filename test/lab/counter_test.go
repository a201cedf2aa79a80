//go:build lab && linux

package lab

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/counter"
	"github.com/timebench/timebench/test/need"
)

// busy matches the reasons of a busy host.
var busy = regexp.MustCompile("^(it is unknown whether the CPUs have|the cost of a read is unknown)")

// checkCounter checks doctor's verdict on the CPU's counter. QEMU without KVM has no invariant bit for a TSC, so only the
// counter of arm64 is proven.
func (w world) checkCounter(t *testing.T, said ran) {
	if c := counterOf(t, said); w.arch == "arm64" {
		requireProven(t, c)
	} else {
		require.NotEqual(t, counter.Yes, c.Verdict, "%v", c.Reasons)
	}
}

func counterOf(t *testing.T, said ran) *counter.Counter {
	c := counter.Of(document(t, said))
	require.NotNil(t, c, said.stderr)
	t.Logf("%s, %s; %v; %v", c.Verdict, c.Frequency(), c.Sources, c.Reasons)
	require.Positive(t, c.HZ)
	return c
}

func requireProven(t *testing.T, c *counter.Counter) {
	for _, r := range c.Reasons {
		require.True(t, r.Conclusion == counter.Yes || r.Conclusion == counter.NotProven && busy.MatchString(r.Evidence), "%v", r)
	}
}

// rightRate returns the word of a kernel command line with the rate of the TSC: QEMU has the counter of its host. A kernel
// on a busy host measured 43 MHz.
func rightRate(t testing.TB) string {
	t.Helper()
	m := counter.Begin()
	if m == nil {
		need.Missing(t, "counter", "no counter that user mode may read")
	}
	time.Sleep(100 * time.Millisecond)
	return fmt.Sprintf("tsc_early_khz=%.0f", m.End().HZ/1e3)
}

// TestInvariantTSC forces the bit of an invariant TSC upon a machine. The counter of a healthy one may be read. A kernel
// that got a wrong rate at boot demotes its TSC, and doctor measures the right rate.
func TestInvariantTSC(t *testing.T) {
	for name, test := range map[string]struct{ boot, source string }{
		"healthy":    {rightRate(t), "tsc"},
		"wrong rate": {"tsc_early_khz=2000000", "hpet"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := named("hpet")
			w.set("-cpu", "max,+invtsc,x-force-features=on")
			w.set("-smp", "1") // a busy host hides differences between CPUs
			w.boots(test.boot)
			said := w.run(t, "becomes "+test.source+"\nrun doctor timebench doctor --format json\n")
			c := counterOf(t, said["doctor"])
			if name == "healthy" {
				requireProven(t, c)
				return
			}
			require.Equal(t, counter.No, c.Verdict)
			var evidence []string
			for _, r := range c.Reasons {
				evidence = append(evidence, r.Evidence)
			}
			rates := strings.Join(evidence, "\n")
			require.Regexp(t, `RDTSC@cpu is 2,000.000 MHz by kernel log, Detected processor, but `, rates)
			require.Contains(t, rates, "figure of the kernel: 2000.000 MHz")
		})
	}
}
