//go:build lab && linux

package lab

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
	w.set("-kernel", "parts/vmlinuz-7")
	said := w.run(t, demotedScript)
	said.ok(t, "hpet-ahead")
	require.Equal(t, "hpet\n", said["demoted"].stdout, said["dmesg"].stdout)
	require.Contains(t, said["dmesg"].stdout, "Linux version 7.")
	require.Equal(t, counter.NotProven, counter.Of(document(t, said["doctor"])).Verdict, said["doctor"].stdout)
	entry := found(document(t, said["doctor"]), kernelEntry)
	require.NotNil(t, entry, said["doctor"].stdout)
	require.Contains(t, strings.Join(entry.Evidence, "\n"), "Marking clocksource tsc unstable due to frequency skew")
	require.Regexp(t, `While hpet advanced [0-9.]+ ms, the TSC advanced [0-9.]+ ms`, entry.Cause)
}
