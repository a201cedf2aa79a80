package busy

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/test/measured"
	"github.com/timebench/timebench/test/need"
)

// comparing is a run that takes a third of a second.
var comparing = []string{"compare", "time.Now@go", "--threads", "1", "--rounds", "60"}

// Programs that keep every CPU busy are load; the run itself, which keeps a CPU busy, is not.
func TestLoadOfOtherProgramsIsNamed(t *testing.T) {
	timebench := need.Timebench(t)
	load(t, runtime.NumCPU())
	require.Contains(t, measured.Warned(measured.Document(t, timebench, comparing...)), "load")
}

// A control group with a tenth of a CPU stops the run again and again.
func TestQuotaThatIsUsedUpIsNamed(t *testing.T) {
	t.Parallel()
	d := inGroup(t, limited(t), comparing...)
	require.Contains(t, measured.Warned(d), "quota")
	require.InDelta(t, 0.1, d.Host.CPU.Quota, 1e-9)
	require.Positive(t, d.Conditions.ThrottledNS)
	require.NotContains(t, measured.Warned(d), "clocksource")
}

// A control group with a tenth of a CPU stops a program while it sleeps, too: doctor names the quota, with the latest
// sleep.
func TestQuotaThatDelaysSleepsIsNamed(t *testing.T) {
	t.Parallel()
	d := inGroup(t, limited(t), "wake", "nanosleep", "--spans", "1ms", "--load", "--duration", "1s")
	require.Contains(t, measured.Warned(d), "quota")
	findings := diagnose.Findings(d)
	i := slices.IndexFunc(findings, func(f result.Finding) bool { return f.Kind == "quota" })
	require.GreaterOrEqual(t, i, 0)
	require.Regexp(t, `nanosleep@syscall · a sleep of 1 ms ended .* late \(max\)`, strings.Join(findings[i].Evidence, "\n"))
}

// inGroup returns the document of a command of timebench in a control group.
func inGroup(t *testing.T, group string, args ...string) *result.Document {
	t.Helper()
	return measured.Document(t, "sh", append([]string{"-c", `echo $$ > "$0"/cgroup.procs && exec "$@"`, group,
		need.Timebench(t)}, args...)...)
}

// limited makes a control group with a tenth of a CPU's time, of whichever version
// this machine has.
func limited(t *testing.T) string {
	t.Helper()
	const periodUS, quotaUS = 100_000, 10_000
	name := t.Name() + strconv.Itoa(os.Getpid())
	var refused error
	for _, version := range []struct {
		parent string
		limit  map[string]string
	}{
		{"/sys/fs/cgroup", map[string]string{"cpu.max": fmt.Sprintf("%d %d", quotaUS, periodUS)}},
		{"/sys/fs/cgroup/cpu", map[string]string{"cpu.cfs_period_us": strconv.Itoa(periodUS),
			"cpu.cfs_quota_us": strconv.Itoa(quotaUS)}},
	} {
		group := filepath.Join(version.parent, name)
		if refused = os.Mkdir(group, 0o755); refused != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(group) })
		for file, text := range version.limit {
			// A folder that is not a control group would accept any file.
			if _, refused = os.Stat(filepath.Join(group, file)); refused == nil {
				refused = os.WriteFile(filepath.Join(group, file), []byte(text), 0o644)
			}
			if refused != nil {
				break
			}
		}
		if refused == nil {
			return group
		}
	}
	need.Missing(t, "quota", refused.Error())
	return ""
}
