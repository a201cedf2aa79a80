//go:build lab && linux

package lab

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/counter"
	"github.com/timebench/timebench/internal/measurement/verify"
)

// guests are guests of KVM, in one machine: QEMU emulates SVM.
var guests = []struct {
	name, cpuid string // cpuid are the leaves that the guest has of its own, as vmm takes them
	source      string
	reason      string // matches the evidence that the counter is not proven
	wrongRate   bool   // a finding
	by          string // how the clock of the host is read
}{
	{
		name: "kvm-clock", cpuid: "0x80000007=0,0,0,0", source: "kvm-clock", // not invariant
		reason: "^not-proven: the kernel reads it through kvm-clock, whose factors may change when the host migrates",
		by:     "PTP_SYS_OFFSET_PRECISE",
	},
	{
		name: "wrong-15h", cpuid: "0x15=1,100,25000000,0 0x80000007=0,0,0,0x100", source: "tsc", // 2,500 MHz, invariant
		reason:    `^not-proven: RDTSC@cpu is 2,500\.000 MHz by CPUID 15H, but [0-9,.]+ MHz by CLOCK_MONOTONIC_RAW@vdso: `,
		wrongRate: true, by: "clock_gettime",
	},
}

// guestScript is the script of a guest, whose console is its kernel log.
const guestScript = `
load ptp_kvm
run doctor timebench doctor --fast --format json
`

// guestBoot is the kernel command line of a guest. It has no real-time clock, for which the kernel would wait 17 s.
const guestBoot = "earlyprintk=ttyS0,keep quiet panic=-1 reboot=t mitigations=off nokaslr initcall_blacklist=cmos_init output=kmsg"

// TestGuestsOfKVM has guests whose counter doctor does not call proven, each for its reason. Doctor compares their wall
// clock with the clock of the host.
func TestGuestsOfKVM(t *testing.T) {
	t.Parallel()
	// Without AVX and XSAVE, which the emulated SVM does not support.
	w := world{name: "KVM", arch: "amd64", emulator: x86, machine: machine("-cpu qemu64,+svm,+npt,+invtsc,x-force-features=on",
		1024, 1, "ttyS0", "mitigations=off tsc=reliable")}.set("-kernel", "parts/vmlinuz-7")
	var script strings.Builder
	script.WriteString(`
becomes tsc # KVM gives its guests the time by it
load irqbypass
load kvm
load kvm-amd
`)
	for _, g := range guests {
		fmt.Fprintf(&script, "run %s vmm /guest/kernel /guest/initrd '%s' %s\n", g.name, guestBoot, g.cpuid)
	}
	all := w.run(t, script.String())
	for _, g := range guests {
		t.Run(g.name, func(t *testing.T) {
			all.ok(t, "kvm-amd")
			said := unpack(t, all.ok(t, g.name).stdout)
			d := document(t, said["doctor"])
			require.Equal(t, "kvm", d.Host.Virtualization.Visible())
			require.Equal(t, g.source, d.Host.ClockSource.Current)
			requireVerdict(t, said["doctor"], counter.NotProven, g.reason)
			require.Equal(t, g.wrongRate, found(d, "counter-rate") != nil)

			said.ok(t, "ptp_kvm")
			offset := first(t, d.Host.WallOffsets, func(o result.WallOffset) bool { return o.Name == "KVM virtual PTP" })
			t.Logf("%+v", offset)
			require.Equal(t, g.by, offset.By)
			require.NotNil(t, offset.OffsetNS, offset.Reason)
		})
	}
}

// cardScript reads the clock of a network card.
const cardScript = `
load e1000e
run env timebench env
run doctor timebench doctor --fast --format json
run compare timebench compare --format json --rounds 6 --throughput-time 5ms --threads 1 ptp0@syscall
run verify timebench verify --format json --duration 2s ptp0@syscall
`

// TestNetworkCard compares the wall clock with the clock of a network card, which its driver reads between two readings
// of the wall clock. QEMU 10 emulates it, 2.5 times too fast; it says nothing about the wall clock. Verify finds the
// rate.
func TestNetworkCard(t *testing.T) {
	t.Parallel()
	w := world{name: "e1000e", arch: "386", emulator: filepath.Join(parts(t, ""), "qemu-10", x86),
		machine: machine("-cpu max", 512, 1, "ttyS0", "")}.with("-device", "e1000e")
	said := w.run(t, cardScript)
	said.ok(t, "e1000e")
	require.Regexp(t, `against  ptp0 \([0-9a-f]{12}\): .* \(PTP_SYS_OFFSET_EXTENDED\); the\s+clock of a network card, which may be TAI`,
		said["env"].stdout)
	d := document(t, said["doctor"])
	offset := first(t, d.Host.WallOffsets, func(o result.WallOffset) bool { return o.Against == "ptp0" })
	t.Logf("%+v", offset)
	require.Equal(t, "PTP_SYS_OFFSET_EXTENDED", offset.By)
	require.NotNil(t, offset.OffsetNS)
	require.Positive(t, offset.BoundNS)
	for _, f := range d.Findings {
		require.NotContains(t, strings.Join(f.Evidence, "\n"), "ptp0")
	}
	card := verify.Of(document(t, said["verify"])).Clocks[0]
	t.Logf("%+v", card)
	require.Len(t, card.Faults, 1)
	require.Equal(t, verify.FaultFast, card.Faults[0].Kind)
	require.InDelta(t, 1.5e6, card.Faults[0].PPM, 0.1e6)
}
