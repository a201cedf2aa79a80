//go:build lab && linux

package lab

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/test/readers"
)

// instructionNS is the time of an instruction on a machine that counts: shift=2.
const instructionNS = 4

// counting makes an emulated machine count: each instruction takes instructionNS of its time, and a timer expires
// exactly after the last instruction before it. Without that, QEMU delivers interrupts between blocks of translated
// code, and samples gather there. One CPU is enough, as QEMU would run several in turn.
func (w world) counting() world {
	if w.name == "hpet" {
		w = w.boots("clocksource=hpet") // with one CPU the kernel trusts the time stamp counter
	}
	return w.set("-smp", "1").with("-icount", "shift=2,sleep=off")
}

// A mix is the kind of read of a program, and the percentage of its time in reads.
type mix struct {
	read    string
	percent int
}

func (m mix) name() string { return fmt.Sprintf("%s-%d", m.read, m.percent) }

// script profiles a program that reads, while it runs.
func (m mix) script() string {
	return fmt.Sprintf(`
run own-%[1]s sh -c 'reader-c %[2]s %[3]d 1 14 & sleep 1.5
timebench profile $! --duration 5s --rate 997 --format json >/tmp/profile; status=$?; wait; exit $status'
run %[1]s cat /tmp/profile
`, m.name(), m.read, m.percent)
}

// TestShares compares the share of reads, with the kernel's part, with the program's own count. It also compares the
// estimated user-mode cost of the machine with hpet with the cost on the machine with tsc. Both follow from numbers of
// instructions, not from the speed of this machine.
func TestShares(t *testing.T) {
	mixes := []mix{{"vdso", 10}, {"vdso", 40}, {"vdso", 80}, {"syscall", 40}}
	var script strings.Builder
	for _, m := range mixes {
		script.WriteString(m.script())
	}
	profiles := map[string]map[mix]*profile.Profile{}
	t.Run("machines", func(t *testing.T) {
		for _, w := range worlds[:2] {
			of := map[mix]*profile.Profile{}
			profiles[w.name] = of
			t.Run(w.name, func(t *testing.T) {
				t.Parallel()
				said := w.counting().run(t, script.String())
				require.Equal(t, w.source, said.text("current"))
				for _, m := range mixes {
					of[m] = checkShare(t, w, m, said)
				}
			})
		}
	})
	for _, m := range mixes[:3] {
		slow, tsc := profiles["hpet"][m], profiles["tsc"][m]
		if slow == nil || tsc == nil {
			t.Skip("one of the machines was not run to its end")
		}
		t.Logf("%s: in user mode a read would take %.0f ns under hpet, and takes %.0f ns under tsc", m.name(),
			slow.UserModeNS, tsc.ReadNS)
		require.InEpsilon(t, tsc.ReadNS, slow.UserModeNS, 0.1)
	}
}

// checkShare returns the profile of a program, after it compared the share with the program's own. The bound is 3
// points: 2, and the standard error of 4,800 samples.
func checkShare(t *testing.T, w world, m mix, said outputs) *profile.Profile {
	t.Helper()
	const points, factor = 0.03, 0.2
	_, text, ok := strings.Cut(said.ok(t, "own-"+m.name()).stdout, "ready\n")
	require.True(t, ok, said)
	var own readers.Report
	require.NoError(t, json.Unmarshal([]byte(text), &own), text)
	expected := 1.0
	if m.read == "vdso" {
		// The loop around the reads does not overlap with them here. It was timed with an empty function, which has two
		// instructions. The cost that timebench measures has such a loop too.
		require.Positive(t, own.LoopNS)
		withLoop := own.ReadNS
		own = own.With(withLoop - own.LoopNS + 2*instructionNS)
		expected = own.ReadNS / withLoop
	}
	p := profile.Of(document(t, said[m.name()]))
	require.NotNil(t, p)
	require.True(t, p.SeesKernel)
	reader := first(t, p.Processes, func(p profile.Process) bool { return p.Command == "reader-c" })
	require.NotNil(t, reader.ClockShare)
	low, high := own.ShareRange()
	ratio := reader.ReadsPerSecond / reader.CPUsUsed / own.ReadsPerCPUSecond()
	t.Logf(
		"%s %s: its own share is %.1f to %.1f %%, and of %d samples %.1f %% are in reads: "+
			"%.1f user, %.1f kernel, %.1f system calls; "+
			"reads in a CPU second: %.3f of its own", w.name, m.name(), 100*low, 100*high, reader.Samples,
		100**reader.ClockShare,
		100*reader.UserShare, 100*reader.KernelShare, 100*reader.SyscallShare, ratio)
	require.Greater(t, *reader.ClockShare, low-points)
	require.Less(t, *reader.ClockShare, high+points)
	require.InEpsilon(t, expected, ratio, factor)
	if m.read == "syscall" {
		require.Greater(t, reader.SyscallShare, 0.9**reader.ClockShare)
	}
	return p
}
