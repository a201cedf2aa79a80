//go:build lab && linux

package lab

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/counter"
)

const demotedScript = `
run hpet-ahead hpet-ahead
# The watchdog of a busy host may not see a jump.
for n in $(seq 600); do
  [ "$(current)" = hpet ] && break
  [ $((n % 50)) = 0 ] && hpet-ahead
  usleep 100000
done
run demoted cat $sources/current_clocksource
run doctor timebench doctor --format json
`

// TestDemotedByLinux7 has the watchdog of Linux 7, which was rewritten, demote the time stamp counter: doctor names the
// watchdog's reason, and does not call the counter wrong: the HPET jumped.
func TestDemotedByLinux7(t *testing.T) {
	w := demoted
	w.name, w.host, w.machine = "demoted by Linux 7", nil, slices.Clone(demoted.machine)
	w.machine[slices.Index(w.machine, "parts/vmlinuz")] = "parts/vmlinuz-7"
	said := w.run(t, demotedScript)
	require.Zero(t, said["hpet-ahead"].status, said["hpet-ahead"].stderr)
	require.Equal(t, "hpet\n", said["demoted"].stdout, said["dmesg"].stdout)
	require.Contains(t, said["dmesg"].stdout, "Linux version 7.")
	require.Equal(t, counter.NotProven, counter.Of(document(t, said["doctor"])).Verdict, said["doctor"].stdout)
	findings := document(t, said["doctor"]).Findings
	i := slices.IndexFunc(findings, func(f result.Finding) bool { return f.Kind == kernelEntry })
	require.GreaterOrEqual(t, i, 0, said["doctor"].stdout)
	require.Contains(t, strings.Join(findings[i].Evidence, "\n"), "Marking clocksource tsc unstable due to frequency skew")
	require.Regexp(t, `While hpet advanced [0-9.]+ ms, the TSC advanced [0-9.]+ ms`, findings[i].Cause)
}
