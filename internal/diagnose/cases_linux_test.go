package diagnose_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
)

// The cases are machines of public reports, rebuilt as documents, recorded trees and kernel logs.
// A new document is a folder of testdata/cases and a row of documentCases; a new log is a folder
// of testdata/cases/logs, with what must and must not be said.

// caseDocument returns the document of a case, with the facts of its tree if it has one.
func caseDocument(t *testing.T, name string) *result.Document {
	t.Helper()
	folder := filepath.Join("cases", name)
	d := loaded(t, filepath.Join(folder, "results.json"))
	tree := filepath.Join("testdata", folder, "tree")
	if _, err := os.Stat(tree); err == nil {
		saved := d.Host
		d.Host = host.At(tree)
		d.Host.TimeSync = saved.TimeSync
		if d.Host.Virtualization == nil { // which the CPU shows, and no file
			d.Host.Virtualization = saved.Virtualization
		}
	}
	return d
}

// trustsTSC matches advice that trusts the TSC.
const trustsTSC = `(?i)add tsc=(nowatchdog|reliable)|--args=tsc=|off with tsc=nowatchdog`

// documentCases are the cases with measured clocks: what must be said of each, and what not.
var documentCases = []struct {
	name  string
	plant func(*result.Document) // facts that the document of the report lacks
	kinds []string               // findings that must be there
	says  []string               // expressions
	never []string
}{
	{
		name: "01-watchdog-wrapped", kinds: []string{"kernel-entry"},
		says:  []string{`(?i)wrap`, `4\.6(87|9)`, `6\.8`, `tsc=nowatchdog`},
		never: []string{`\+1[45]\d\d`, `(?i)update the firmware`, `(?i)CPUs (differ|disagree)`},
	},
	{
		name: "02-read-back-delay-8-sockets", kinds: []string{"kernel-entry"},
		says:  []string{`(?i)read`, `153\.?5?6? ?µs|153560`, `6\.9`},
		never: []string{`(?i)disagrees`, `(?i)CPUs (differ|disagree)`, `(?i)update the firmware`},
	},
	{
		name: "03-kernel-7-inter-cpu-skew", kinds: []string{"kernel-entry"},
		says:  []string{`(?i)CPU ?5`, `(?i)CPU ?0`, `115,?657`, `(?i)firmware`, `timebench skew`},
		never: []string{trustsTSC, `tsc=nowatchdog`, `echo tsc`},
	},
	{
		name: "03-kernel-7-inter-cpu-skew", kinds: []string{"kernel-entry"},
		plant: func(d *result.Document) {
			d.Host.Virtualization = &result.Virtualization{System: "unknown", Role: "guest"}
		},
		says:  []string{`the hypervisor sets them`, `Restart the virtual machine`},
		never: []string{`(?i)update the firmware`, `unknown`},
	},
	{
		name: "03b-kernel-7-frequency-skew", kinds: []string{"kernel-entry"},
		says:  []string{`hpet interval`, `tsc interval`, `\+2\.47 ?%`},
		never: []string{`echo tsc`},
	},
	{
		name: "05-hpet-flood-hides-the-reason", kinds: []string{"kernel-entry"},
		says:  []string{`(?i)431`, `(?i)watchdog`},
		never: []string{`Neither the kernel log`, `(?i)update the firmware`},
	},
	{
		name: "06-tsc-early-despite-reliable", kinds: []string{"kernel-entry"},
		says:  []string{`(?i)jiffies`, `5\.4`, `(?i)kvmclock|kvm-clock`},
		never: []string{trustsTSC, `(?i)update the firmware`, `(?i)boot the guest with tsc=reliable`},
	},
	{
		name: "07-bhyve-guest", kinds: []string{"kernel-entry"},
		says:  []string{`(?i)host`, `\d s\b|\d ms\b`},
		never: []string{`(?i)firmware`, `Neither the kernel log`},
	},
	{
		name: "12-gvisor-coarse", kinds: []string{"kernel-entry-of-some"},
		says:  []string{`gVisor`, `runsc`},
		never: []string{`(?i)newer kernel`, `Linux 5\.3`},
	},
	{
		name: "13-firecracker-snapshot-stale", kinds: []string{"wall-clock-off", "unsynchronised"},
		plant: func(d *result.Document) { d.Host.WallOffsets = []result.WallOffset{ptp("KVM virtual PTP", 75*3600e9)} },
		says:  []string{`75 h behind the host's clock`, `(?i)snapshot`, `clocksource=kvm-clock`, `clock_realtime`, `refclock PHC /dev/ptp0`},
	},
	{
		name: "13-firecracker-snapshot-stale", kinds: []string{"unsynchronised"},
		says: []string{`clocksource=kvm-clock`},
	},
	{
		name: "14-wsl2-after-sleep", kinds: []string{"wall-clock-off"},
		plant: func(d *result.Document) { d.Host.WallOffsets = []result.WallOffset{rtc(17 * 3600e9)} },
		says:  []string{`17 h behind`, `(?i)Windows sleeps`, `hwclock -s`, `wsl --update`, `wsl --shutdown`},
		never: []string{`systemctl`, `Start chrony`},
	},
	{
		name: "15-freebsd-acpi-fast", kinds: []string{"slow-reads"},
		says: []string{`1\.65 µs`, `9\.48 ns`, `kern\.timecounter\.hardware`, `TSC-low`},
	},
	{
		name: "15-freebsd-acpi-fast", kinds: []string{"slow-reads"},
		plant: func(d *result.Document) {
			d.Host.Virtualization = &result.Virtualization{System: "kvm", Role: "guest"}
			d.Host.ClockSource = &result.ClockSource{
				Current: "ACPI-fast", Available: []string{"ACPI-fast", "i8254", "TSC-low", "dummy"},
				Qualities: []result.Quality{{Name: "ACPI-fast", Quality: 900}, {Name: "i8254"}, {Name: "TSC-low", Quality: -100}, {Name: "dummy", Quality: -1000000}},
				Settings:  []string{"kern.timecounter.fast_gettime=1", "kern.timecounter.smp_tsc=0"},
			}
		},
		says: []string{`the timecounter is ACPI-fast`, `TSC-low\(-100\)`, `sysctl kern\.timecounter\.hardware=TSC-low`, `kern\.timecounter\.smp_tsc=1`, `(?i)time jumps between CPUs`},
	},
	{
		name: "16-fine-clocks-step-4ms", kinds: []string{"fine-clock-ticks", "kernel-entry"},
		says: []string{`time steps by 4 ms`, `clock_getres reports 1 ns`}, never: []string{`COARSE \(`},
	},
	{
		name: "16b-fine-clocks-step-4ms-user-mode", kinds: []string{"fine-clock-ticks"},
		says: []string{`time steps by 4 ms`, `(?i)emulator|enclave`},
	},
	{
		name: "17b-arm64-log-unreadable", kinds: []string{"kernel-entry"},
		says: []string{`(?i)guess`, `could not be read`, `sudo dmesg`}, never: []string{`the kernel log shows`, `tsc=`},
	},
	{
		name: "19-azure-two-time-services", kinds: []string{"two-time-services"},
		says:  []string{`(?i)probably two`, `This is a guess`, `hv_utils`, `ptp_hyperv`},
		never: []string{`runs (slow|fast) by more`, `until it is right`},
	},
	{
		name: "19-azure-two-time-services", kinds: []string{"two-time-services"},
		plant: func(d *result.Document) {
			d.Host.TimeServices = []result.TimeService{{Name: "ntpd"}, {Name: "hyperv-timesync", Setting: "timesync_implicit=N"}}
		},
		says: []string{`ntpd and hyperv-timesync`},
	},
	{
		name: "20-gvisor-backwards", kinds: []string{"backwards"},
		says:  []string{`gVisor`, `runsc`, `system call is right`},
		never: []string{`hpet`, `echo `, `(?i)update the firmware`},
	},
	{
		name: "21-migrated-tsc-wrong-rate", kinds: []string{"clock-rate"},
		says:  []string{`-500 ppm`, `(?i)migrat`, `(?i)start it again`, `(?i)kvmclock|kvm-clock`},
		never: []string{`until it is right`, trustsTSC, `still (gains|loses)`, `timebench drift`},
	},
	{
		name: "23-refined-jiffies", kinds: []string{"fine-clock-ticks"},
		says: []string{
			`time steps by 4 ms`, `refined-jiffies`, `Another finding shows why`, `enable the HPET and the ACPI PM timer in the firmware`, `nohpet, hpet=disable, pmtmr=0 and acpi=off`,
		},
		never: []string{`(?i)CPUs (differ|disagree)`, `(?s)Marking TSC unstable.*Marking TSC unstable`},
	},
	{
		name: "23-refined-jiffies", kinds: []string{"fine-clock-ticks"},
		plant: func(d *result.Document) {
			d.Host.Virtualization = &result.Virtualization{System: "unknown", Role: "guest"}
		},
		says: []string{`PM timer in the settings of the hypervisor`}, never: []string{`firmware`},
	},
	{
		name: "23-refined-jiffies", kinds: []string{"fine-clock-ticks"},
		plant: func(d *result.Document) { d.Host.ClockSource.Available = []string{"hpet", "jiffies"} },
		never: []string{`Give the kernel a real timer`},
	},
	{
		name: "24-clock-syscalls-refused", kinds: []string{"clock-calls-refused"},
		says: []string{`operation not permitted`, `(?i)seccomp`, `19\.03\.9`, `2\.4\.2`},
	},
	{
		name: "24-clock-syscalls-refused", kinds: []string{"clock-calls-refused"},
		plant: func(d *result.Document) {
			d.Host.RefusedCalls = []result.RefusedCall{{Call: "clock_gettime64", Errno: "EPERM", Seccomp: true}}
		},
		says: []string{`clock_gettime64 fails with EPERM`, `2\.4\.2`, `a seccomp filter is installed`},
	},
}

// ptp and rtc return the offset of a wall clock from a clock of the host, and from a real-time
// clock.
func ptp(name string, offsetNS int64) result.WallOffset {
	return result.WallOffset{Against: "ptp0", Name: name, OffsetNS: &offsetNS, BoundNS: 2000}
}

func rtc(offsetNS int64) result.WallOffset {
	return result.WallOffset{Against: "rtc0", Name: "rtc_cmos", OffsetNS: &offsetNS, BoundNS: 500_050_000}
}

func TestCasesWithMeasuredClocks(t *testing.T) {
	for _, test := range documentCases {
		t.Run(test.name, func(t *testing.T) {
			d := caseDocument(t, test.name)
			if test.plant != nil {
				test.plant(d)
			}
			for _, kind := range test.kinds {
				require.Contains(t, strings.Fields(kindsOf(d)), kind)
			}
			holds(t, said(d), test.says, test.never)
			rules(t, d)
		})
	}
}

// Every document of testdata is in the table.
func TestEveryCaseIsInTheTable(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("testdata", "cases", "*", "results.json"))
	require.NoError(t, err)
	for _, file := range folders {
		name := filepath.Base(filepath.Dir(file))
		found := false
		for _, test := range documentCases {
			found = found || test.name == name
		}
		require.True(t, found, "add a row of documentCases for %s", name)
	}
}
