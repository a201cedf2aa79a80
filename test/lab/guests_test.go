//go:build lab && linux

package lab

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/counter"
	"github.com/timebench/timebench/internal/measurement/verify"
)

// guests are guests of KVM, in one machine: QEMU emulates SVM.
var guests = []struct {
	name, cpuid     string // cpuid are the leaves that the guest has of its own, as vmm takes them
	source          string
	verdict, reason string // the reason matches the evidence for the verdict
	finding         string // about the counter; "" if there must be none
	by              string // how the clock of the host is read
}{
	{
		name: "kvm-clock", cpuid: "0x80000007=0,0,0,0", source: "kvm-clock", // not invariant
		verdict: counter.NotProven, reason: "^the kernel reads it through kvm-clock, whose factors may change when the host migrates",
		by: "PTP_SYS_OFFSET_PRECISE",
	},
	{
		name: "wrong-15h", cpuid: "0x15=1,100,25000000,0 0x80000007=0,0,0,0x100", source: "tsc", // 2,500 MHz, invariant
		verdict: counter.NotProven, reason: `^RDTSC@cpu is 2,500\.000 MHz by CPUID 15H, but [0-9,.]+ MHz by CLOCK_MONOTONIC_RAW@vdso: `,
		finding: "counter-rate", by: "clock_gettime",
	},
}

// guestScript is the script of a guest, whose console is its kernel log.
const guestScript = `
load ptp_kvm
run doctor timebench doctor --fast --format json
`

// guestBoot is the kernel command line of a guest. It has no real-time clock, for which the kernel would wait 17 s.
const guestBoot = "earlyprintk=ttyS0,keep quiet panic=-1 reboot=t mitigations=off nokaslr initcall_blacklist=cmos_init output=kmsg"

// addGuest adds the program that boots a guest of KVM, and the kernel and the root file system of the guest.
func addGuest(t testing.TB, all *archive, arch string) {
	t.Helper()
	addC(t, all, arch, "vmm", "testdata/vmm.c")
	all.add("guest", folder, nil)
	all.add("guest/kernel", program, content(t, filepath.Join(parts(t, arch), "vmlinuz-7")))
	all.add("guest/initrd", program, root(t, arch, guestScript))
}

// TestGuestsOfKVM has guests whose counter doctor does not call proven, each for its reason. Doctor compares their wall
// clock with the clock of the host.
func TestGuestsOfKVM(t *testing.T) {
	t.Parallel()
	// Without AVX and XSAVE, which the emulated SVM does not support.
	w := world{name: "KVM", arch: "amd64", emulator: x86, machine: machine("-cpu qemu64,+svm,+npt,+invtsc,x-force-features=on",
		1024, 1, "ttyS0", "mitigations=off tsc=reliable "+rightRate(t))}
	w.set("-kernel", "parts/vmlinuz-7")
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
			said, err := unpack(all.ok(t, g.name).stdout)
			require.NoError(t, err)
			d := document(t, said["doctor"])
			require.Equal(t, "kvm", d.Host.Virtualization.Visible())
			require.Equal(t, g.source, d.Host.ClockSource.Current)
			requireCounter(t, said["doctor"], g.verdict, g.reason)
			require.Equal(t, g.finding != "", found(d, "counter-rate") != nil)

			said.ok(t, "ptp_kvm")
			offset := first(t, d.Host.WallOffsets, func(o result.WallOffset) bool { return o.Name == "KVM virtual PTP" })
			t.Logf("%+v", offset)
			require.Equal(t, g.by, offset.By)
			require.NotNil(t, offset.OffsetNS, offset.Reason)
		})
	}
}

// requireCounter checks doctor's verdict on the CPU's counter, and the evidence for it. A busy host may add evidence of its
// own.
func requireCounter(t *testing.T, said ran, verdict, reason string) {
	t.Helper()
	c, evidence := counterOf(t, said), regexp.MustCompile(reason)
	require.Equal(t, verdict, c.Verdict, "%v", c.Reasons)
	require.True(t, slices.ContainsFunc(c.Reasons, func(r counter.CounterReason) bool {
		return r.Conclusion == verdict && evidence.MatchString(r.Evidence)
	}), "%v", c.Reasons)
}

// TestTrapped has Xen trap each RDTSC of its first domain, a PVH domain: Xen emulates the TSC of such a domain if the
// machine lacks an invariant TSC.
func TestTrapped(t *testing.T) {
	t.Parallel()
	w := named("xen")
	// QEMU 7.2 calls an intercepted RDTSCP an RDTSC, and Xen ends the domain. Xen needs an IOMMU for it.
	w.set("-cpu", "max,-rdtscp")
	w.machine = append(w.machine, "-M", "q35", "-device", "amd-iommu")
	w.set("-append", "console=com1 com1=115200 loglvl=warning dom0=pvh dom0_mem=700M")
	said := w.run(t, "run doctor timebench doctor --fast --format json\n")
	requireCounter(t, said["doctor"], counter.No, "^each read traps to the kernel or the hypervisor, and takes ")
	trapped := found(document(t, said["doctor"]), "tsc-trapped")
	require.NotNil(t, trapped)
	require.Contains(t, trapped.Cause, "Xen intercepts RDTSC")
}

// cardScript reads the clock of a network card.
const cardScript = `
load e1000e
run env timebench env
run doctor timebench doctor --fast --format json
run compare timebench compare --format json --rounds 6 --throughput-time 5ms --threads 1 ptp0@syscall
run verify timebench verify --format json --duration 2s ptp0@syscall
`

// TestNetworkCard compares the wall clock with the clock of a network card, which its driver reads between two readings of
// the wall clock. QEMU 10 emulates it, 2.5 times too fast; it says nothing about the wall clock. Verify finds the rate.
func TestNetworkCard(t *testing.T) {
	t.Parallel()
	w := world{name: "e1000e", arch: "386", emulator: filepath.Join(parts(t, ""), "qemu-10", x86),
		machine: machine("-cpu max", 512, 1, "ttyS0", "", "-device", "e1000e")}
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
