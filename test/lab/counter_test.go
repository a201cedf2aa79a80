//go:build lab && linux

package lab

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/counter"
)

// checkCounter checks doctor's verdict on the CPU's counter. QEMU without KVM has no invariant bit for a TSC, so only the
// counter of arm64 is proven.
func (w world) checkCounter(t *testing.T, said ran) {
	c := counter.Of(document(t, said))
	require.NotNil(t, c, said.stderr)
	t.Logf("%s, %s; %v; %v", c.Verdict, c.Frequency(), c.Sources, c.Reasons)
	require.Positive(t, c.HZ)
	if w.arch != "arm64" {
		require.NotEqual(t, counter.Yes, c.Verdict, "%v", c.Reasons)
		return
	}
	busy := regexp.MustCompile("^(it is unknown whether the CPUs have|the cost of a read is unknown)") // the host
	for _, r := range c.Reasons {
		require.True(t, r.Conclusion == counter.Yes || r.Conclusion == counter.NotProven && busy.MatchString(r.Evidence), "%v", r)
	}
}
