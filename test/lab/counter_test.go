//go:build lab && linux

package lab

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/counter"
)

// checkCounter checks doctor's verdict on the CPU's counter. QEMU without KVM has no invariant bit for a TSC, so only
// the counter of arm64 is proven.
func (w world) checkCounter(t *testing.T, said outputs) {
	if w.arch == "arm64" {
		requireVerdict(t, said["doctor"], counter.Yes)
	} else {
		require.NotEqual(t, counter.Yes, counterOf(t, said["doctor"]).Verdict)
	}
}

func counterOf(t *testing.T, said ran) *counter.Counter {
	c := counter.Of(document(t, said))
	require.NotNil(t, c, said.stderr)
	t.Logf("%s, %s; %v; %v", c.Verdict, c.Frequency(), c.Sources, c.Reasons)
	require.Positive(t, c.HZ)
	return c
}

// busy matches the reasons of a busy host.
var busy = regexp.MustCompile("^(it is unknown whether the CPUs have|the cost of a read is unknown)")

// requireVerdict checks doctor's verdict on the CPU's counter, and that its evidence matches the reasons. A busy host
// may add evidence of its own, against a yes.
func requireVerdict(t *testing.T, said ran, verdict string, reasons ...string) {
	t.Helper()
	c := counterOf(t, said)
	var evidence []string
	for _, r := range c.Reasons {
		if verdict == counter.Yes && !busy.MatchString(r.Evidence) {
			require.Equal(t, counter.Yes, r.Conclusion, r.Evidence)
		}
		evidence = append(evidence, r.Conclusion+": "+r.Evidence)
	}
	if verdict != counter.Yes {
		require.Equal(t, verdict, c.Verdict)
	}
	for _, reason := range reasons {
		require.True(t, slices.ContainsFunc(evidence, regexp.MustCompile(reason).MatchString), "%q in %q", reason, evidence)
	}
}

// rightRate returns the word of a kernel command line with the rate of the TSC: QEMU has the counter of its host. A
// kernel on a busy host measured 43 MHz.
func rightRate() string {
	m := counter.Begin()
	if m == nil {
		return "" // user mode may not read it
	}
	time.Sleep(100 * time.Millisecond)
	return fmt.Sprintf("tsc_early_khz=%.0f", m.End().HZ/1e3)
}

// TestVerdict has machines that differ in one thing, on which doctor's verdict on the CPU's counter depends.
func TestVerdict(t *testing.T) {
	// The bit of an invariant TSC is forced upon it. A busy host hides differences between CPUs, so it has one.
	invariant := named("hpet").set("-cpu", "max,+invtsc,x-force-features=on").set("-smp", "1")
	for _, test := range []struct {
		name    string
		world   world
		script  string
		verdict string
		reasons []string // expressions for its evidence
		finding string   // a kind, and expressions for what it says
		says    []string
	}{
		{
			name: "healthy", world: invariant.boots(rightRate()), script: "becomes tsc\nrun doctor timebench doctor --format json\n",
			verdict: counter.Yes,
		},
		{
			// The kernel demotes it, and doctor measures the right rate.
			name: "wrong rate", world: invariant.boots("tsc_early_khz=2000000"),
			script: "becomes hpet\nrun doctor timebench doctor --format json\n", verdict: counter.No,
			reasons: []string{
				`^no: it does not keep its rate: .*figure of the kernel: 2000\.000 MHz`,
				`^not-proven: RDTSC@cpu is 2,000\.000 MHz by kernel log, Detected processor, but `,
			},
		},
		{
			// Xen traps each RDTSC of its first domain, a PVH domain, if the machine lacks an invariant TSC. QEMU 7.2 calls an
			// intercepted RDTSCP an RDTSC, and Xen ends the domain. Xen needs an IOMMU for it.
			name: "trapped",
			world: named("xen").set("-cpu", "max,-rdtscp").with("-M", "q35", "-device", "amd-iommu").
				set("-append", "console=com1 com1=115200 loglvl=warning dom0=pvh dom0_mem=700M"),
			script: "run doctor timebench doctor --fast --format json\n", verdict: counter.No,
			reasons: []string{"^no: each read traps to the kernel or the hypervisor, and takes "},
			finding: "tsc-trapped", says: []string{"Xen intercepts RDTSC"},
		},
		{
			// The watchdog of Linux 7, which was rewritten, demotes the TSC. Doctor names the watchdog's reason, and does not
			// call the counter wrong: the HPET jumped.
			name: "demoted", world: demoted.set("-kernel", "parts/vmlinuz-7"), script: demotedScript, verdict: counter.NotProven,
			finding: kernelEntry, says: []string{
				"Marking clocksource tsc unstable due to frequency skew", `While hpet advanced [0-9.]+ ms, the TSC advanced [0-9.]+ ms`,
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			said := test.world.run(t, test.script)
			requireVerdict(t, said["doctor"], test.verdict, test.reasons...)
			if test.finding == "" {
				return
			}
			f := found(document(t, said["doctor"]), test.finding)
			require.NotNil(t, f, said["dmesg"].stdout)
			for _, says := range test.says {
				require.Regexp(t, says, f.Cause+"\n"+strings.Join(f.Evidence, "\n"))
			}
		})
	}
}

const demotedScript = `
run hpet-ahead hpet-ahead
# The watchdog of a busy host may not see a jump.
for n in $(seq 600); do
  [ "$(current)" = hpet ] && break
  [ $((n % 50)) = 0 ] && hpet-ahead
  usleep 100000
done
run doctor timebench doctor --format json
`
