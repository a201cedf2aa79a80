package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

func at(name string) result.Host { return At(filepath.Join("testdata", name)) }

// TestAt compares the facts of the recorded machines, except their logs.
func TestAt(t *testing.T) {
	yes, no := true, false
	sources := func(current string, available ...string) *result.ClockSource {
		return &result.ClockSource{Current: current, Available: available}
	}
	guest := func(system string) *result.Virtualization {
		return &result.Virtualization{System: system, Role: "guest"}
	}
	const debianKernel = "6.1.0-28-amd64"
	for name, want := range map[string]result.Host{
		"bare-metal-tsc": {
			Arch: "amd64", Distribution: "debian 12.8", DistributionID: "debian", Kernel: debianKernel,
			CPU: result.CPU{Model: "Intel(R) Xeon(R) CPU E3-1225 v3 @ 3.20GHz", Logical: 4, Usable: 4, Physical: 4, Packages: 1, InvariantTSC: &yes,
				TSCFlags: []string{"constant_tsc", "nonstop_tsc", "tsc_adjust", "rdtscp", "tsc_deadline_timer"}, KernelTSCHz: 3192747000, Governors: []string{"powersave"}},
			ClockSource: sources("tsc", "tsc", "hpet", "acpi_pm"), Machine: &result.Machine{Vendor: "Dell Inc.", Product: "PowerEdge T20"},
		},
		"bare-metal-hpet": {
			Arch: "amd64", Distribution: "debian 12.8", DistributionID: "debian", Kernel: debianKernel,
			CPU: result.CPU{Model: "AMD Ryzen 3 3200G with Radeon Vega Graphics", Logical: 4, Usable: 4, Physical: 4, Packages: 1, InvariantTSC: &yes,
				TSCFlags: []string{"constant_tsc", "nonstop_tsc", "rdtscp"}, KernelTSCHz: 3593248000, Governors: []string{"ondemand", "schedutil"}},
			ClockSource: sources("hpet", "hpet", "acpi_pm"), Machine: &result.Machine{Vendor: "System manufacturer", Product: "System Product Name"},
			BootParameters: []string{"processor.max_cstate=5"},
		},
		"xen-ec2": {
			Arch: "amd64", Distribution: "amzn 2", DistributionID: "amzn", DistributionLike: []string{"centos", "rhel", "fedora"}, Kernel: "5.10.228-219.884.amzn2.x86_64",
			CPU: result.CPU{Model: "Intel(R) Xeon(R) CPU E5-2686 v4 @ 2.30GHz", Logical: 2, Usable: 2, Physical: 2, Packages: 1, InvariantTSC: &no,
				TSCFlags: []string{"constant_tsc", "rdtscp", "tsc_deadline_timer"}, KernelTSCHz: 2299997000},
			Virtualization: guest("xen"), ClockSource: sources("xen", "xen", "tsc", "hpet", "acpi_pm"), Machine: &result.Machine{Vendor: "Xen", Product: "HVM domU"},
		},
		"kvm": {
			Arch: "amd64", Distribution: "debian 12.8", DistributionID: "debian", Kernel: debianKernel,
			CPU: result.CPU{Model: "Intel Xeon Processor (Skylake, IBRS)", Logical: 2, Usable: 2, Physical: 2, Packages: 1, InvariantTSC: &no,
				TSCFlags: []string{"constant_tsc", "tsc_known_freq", "tsc_adjust", "rdtscp", "tsc_deadline_timer"}, KernelTSCHz: 2593904000},
			Virtualization: guest("kvm"), ClockSource: sources("kvm-clock", "kvm-clock", "tsc", "acpi_pm"),
			Machine: &result.Machine{Vendor: "QEMU", Product: "Standard PC (Q35 + ICH9, 2009)"}, BootParameters: []string{"clocksource=kvm-clock"},
		},
		"kvm-amd": {
			Arch: "amd64", Distribution: "debian 12.8", DistributionID: "debian", Kernel: debianKernel,
			CPU: result.CPU{Model: "AMD EPYC-Rome Processor", Logical: 2, Usable: 2, Physical: 2, Packages: 1, InvariantTSC: &no,
				TSCFlags: []string{"tsc_known_freq", "rdtscp"}, KernelTSCHz: 2794750000},
			Virtualization: guest("kvm"), ClockSource: sources("kvm-clock", "kvm-clock", "hpet", "acpi_pm"),
			Machine: &result.Machine{Vendor: "QEMU", Product: "Standard PC (Q35 + ICH9, 2009)"},
		},
		"firecracker": {
			Arch: "amd64", Kernel: "6.18.44-fc-v669",
			CPU: result.CPU{Model: "AMD EPYC", Logical: 2, Usable: 2, Physical: 2, Packages: 1, InvariantTSC: &yes,
				TSCFlags: []string{"constant_tsc", "nonstop_tsc", "tsc_known_freq", "tsc_adjust", "rdtscp", "tsc_deadline_timer"}, KernelTSCHz: 2596144000},
			Virtualization: guest("firecracker"), ClockSource: sources("tsc", "tsc", "kvm-clock"),
		},
		"hyperv-azure": {
			Arch: "amd64", Distribution: "ubuntu 22.04", DistributionID: "ubuntu", DistributionLike: []string{"debian"}, Kernel: "5.15.0-1075-azure",
			CPU: result.CPU{Model: "AMD EPYC 7763 64-Core Processor", Logical: 2, Usable: 2, Physical: 1, Packages: 1, InvariantTSC: &yes,
				TSCFlags: []string{"constant_tsc", "nonstop_tsc", "tsc_reliable", "rdtscp"}, KernelTSCHz: 2445426000},
			Virtualization: guest("hyperv"), ClockSource: sources("hyperv_clocksource_tsc_page", "hyperv_clocksource_tsc_page", "acpi_pm"),
			Machine: &result.Machine{Vendor: "Microsoft Corporation", Product: "Virtual Machine"},
		},
		"vmware": {
			Arch: "amd64", Distribution: "rocky 9.5", DistributionID: "rocky", DistributionLike: []string{"rhel", "centos", "fedora"}, Kernel: "5.14.0-503.14.1.el9_5.x86_64",
			CPU: result.CPU{Model: "Intel(R) Xeon(R) Gold 5218 CPU @ 2.30GHz", Logical: 2, Usable: 2, Physical: 2, Packages: 1, InvariantTSC: &yes,
				TSCFlags:    []string{"constant_tsc", "nonstop_tsc", "tsc_reliable", "tsc_known_freq", "tsc_adjust", "rdtscp", "tsc_deadline_timer"},
				KernelTSCHz: 2294608000},
			Virtualization: guest("vmware"), ClockSource: sources("tsc", "tsc", "acpi_pm"), Machine: &result.Machine{Vendor: "VMware, Inc.", Product: "VMware7,1"},
		},
		"virtualbox-acpi-pm": {
			Arch: "amd64", Distribution: "debian 12.8", DistributionID: "debian", Kernel: debianKernel,
			CPU: result.CPU{Model: "Intel(R) Core(TM) i7-8565U CPU @ 1.80GHz", Logical: 2, Usable: 2, Physical: 2, Packages: 1, InvariantTSC: &yes,
				TSCFlags: []string{"constant_tsc", "nonstop_tsc", "rdtscp"}, KernelTSCHz: 1991998000},
			Virtualization: guest("virtualbox"), ClockSource: sources("acpi_pm", "acpi_pm"), Machine: &result.Machine{Vendor: "innotek GmbH", Product: "VirtualBox"},
		},
		"qemu-hpet": {
			Arch: "amd64", Kernel: "6.1.0-56-cloud-amd64",
			CPU: result.CPU{Model: "QEMU TCG CPU version 2.5+", Logical: 2, Usable: 2, Physical: 2, Packages: 1, InvariantTSC: &no,
				TSCFlags: []string{"rdtscp"}, KernelTSCHz: 2596130000},
			Virtualization: guest("qemu"), ClockSource: sources("hpet", "hpet", "acpi_pm"),
			Machine: &result.Machine{Vendor: "QEMU", Product: "Standard PC (i440FX + PIIX, 1996)"},
		},
		"qemu-tsc": {
			Arch: "amd64", Kernel: "6.1.0-56-cloud-amd64",
			CPU: result.CPU{Model: "QEMU TCG CPU version 2.5+", Logical: 2, Usable: 2, Physical: 2, Packages: 1, InvariantTSC: &no,
				TSCFlags: []string{"rdtscp"}, KernelTSCHz: 2596145000},
			Virtualization: guest("qemu"), ClockSource: sources("tsc", "tsc", "hpet", "acpi_pm"),
			Machine: &result.Machine{Vendor: "QEMU", Product: "Standard PC (i440FX + PIIX, 1996)"}, BootParameters: []string{"tsc=reliable"},
		},
		"arm64": {
			Arch: "arm64", Kernel: "6.1.0-56-cloud-arm64", CPU: result.CPU{Model: "Cortex-A72", Logical: 2, Usable: 2, Physical: 2, Packages: 1},
			Virtualization: guest("qemu"), ClockSource: sources("arch_sys_counter", "arch_sys_counter"),
		},
		"broken-no-sysfs": {
			Arch: "amd64", Kernel: debianKernel, CPU: result.CPU{Model: "Intel(R) Xeon(R) CPU E3-1225 v3 @ 3.20GHz", Logical: 1, Usable: 1, Physical: 1, Packages: 1,
				InvariantTSC: &yes, TSCFlags: []string{"constant_tsc", "nonstop_tsc", "tsc_adjust", "rdtscp", "tsc_deadline_timer"}},
		},
		"broken-unknown-names": {
			Arch: "amd64", CPU: result.CPU{Model: "Intel(R) Xeon(R) CPU E3-1225 v3 @ 3.20GHz", Logical: 1, Usable: 1, Physical: 1, Packages: 1,
				InvariantTSC: &yes, TSCFlags: []string{"constant_tsc", "nonstop_tsc", "tsc_adjust", "rdtscp", "tsc_deadline_timer"}},
			Virtualization: guest("Potato"), ClockSource: sources("potato", "potato", "turnip", "tsc"),
		},
		"broken-empty":   {},
		"broken-folders": {},
		"no such folder": {},
	} {
		want.OS = "linux"
		got := at(name)
		got.KernelLog = nil
		require.Equal(t, want, got, name)
	}
}

func TestAtReadsTheLog(t *testing.T) {
	for name, want := range map[string]struct {
		source      string
		lines       int
		first, last string
	}{
		"bare-metal-tsc":       {"/var/log/dmesg", 23, "[    0.000000] tsc: Fast TSC calibration using PIT", "[    1.276612] clocksource: Switched to clocksource tsc"},
		"bare-metal-hpet":      {"/var/log/dmesg", 28, "[    0.000000] tsc: Fast TSC calibration using PIT", "[  102.318640] clocksource: Switched to clocksource hpet"},
		"xen-ec2":              {"/var/log/messages", 18, "Hypervisor detected: Xen HVM", "clocksource: tsc: mask: 0xffffffffffffffff max_cycles: 0x2127345424d, max_idle_ns: 440795318347 ns"},
		"kvm":                  {"/var/log/kern.log", 15, "[    0.000000] Hypervisor detected: KVM", "[    1.120211] clocksource: tsc: mask: 0xffffffffffffffff max_cycles: 0x2563bd843df, max_idle_ns: 440795257314 ns"},
		"kvm-amd":              {"/var/log/dmesg", 17, "[    0.000000] Hypervisor detected: KVM", "[    0.540101] sched_clock: Marking stable (538402109, 1690011)->(566202114, -26109994)"},
		"firecracker":          {"/var/log/dmesg", 12, "[    0.000000] [Firmware Bug]: TSC doesn't count with P0 frequency!", "[    0.439628] sched_clock: Marking stable (436011183, 1477351)->(466844824, -29356290)"},
		"hyperv-azure":         {"/var/log/dmesg", 11, "[    0.000000] Hypervisor detected: Microsoft Hyper-V", "[    0.610211] rtc_cmos 00:00: setting system clock to 2024-12-03T10:31:45 UTC (1733221905)"},
		"vmware":               {"/var/log/messages", 12, "Hypervisor detected: VMware", "clocksource: Switched to clocksource tsc"},
		"virtualbox-acpi-pm":   {"/var/log/dmesg", 20, "[    0.000000] tsc: Fast TSC calibration failed", "[  431.003001] clocksource: Switched to clocksource acpi_pm"},
		"qemu-hpet":            {"/var/log/dmesg", 18, "[    0.000000] tsc: Fast TSC calibration using PIT", "[    1.781227] rtc_cmos 00:05: alarms up to one day, y3k, 242 bytes nvram, hpet irqs"},
		"qemu-tsc":             {"/var/log/dmesg", 22, "[    0.000000] tsc: Fast TSC calibration using PIT", "[    2.186905] clocksource: Switched to clocksource tsc"},
		"arm64":                {"/var/log/dmesg", 7, "[    0.000000] arch_timer: cp15 timer(s) running at 62.50MHz (virt).", "[    0.870404] rtc-pl031 9010000.pl031: setting system clock to 2026-11-21T14:39:10 UTC (1795271950)"},
		"broken-unknown-names": {"/var/log/dmesg", 2, "[    0.000000] Hypervisor detected: Potato", "[    0.400000] clocksource: Switched to clocksource potato"},
	} {
		log := at(name).KernelLog
		require.Equal(t, want.source, log.Source, name)
		require.Empty(t, log.Reason, name)
		require.False(t, log.Truncated, name)
		require.Len(t, log.Lines, want.lines, "%s: %s", name, strings.Join(log.Lines, "\n"))
		require.Equal(t, want.first, log.Lines[0], name)
		require.Equal(t, want.last, log.Lines[len(log.Lines)-1], name)
		require.NotContains(t, strings.Join(log.Lines, "\n"), "not of the kernel", name)
	}
	for name, want := range map[string]string{
		"broken-empty":    "/var/log/dmesg, /var/log/kern.log: no kernel messages; /var/log/messages, /var/log/syslog: no such file or directory; run as root, ",
		"broken-folders":  "/var/log/dmesg, /var/log/messages: not a regular file; /var/log/kern.log, /var/log/syslog: no such file or directory; run as root, ",
		"broken-no-sysfs": "/var/log/dmesg, /var/log/kern.log, /var/log/messages, /var/log/syslog: no such file or directory; run as root, ",
	} {
		log := at(name).KernelLog
		require.True(t, strings.HasPrefix(log.Reason, want), "%s: %s", name, log.Reason)
		require.Equal(t, result.KernelLog{Reason: log.Reason}, *log, name)
	}
}

func TestTheCommandLineStaysAtHome(t *testing.T) {
	document, err := json.Marshal(at("kvm"))
	require.NoError(t, err)
	require.NotContains(t, string(document), "hunter2")
	require.NotContains(t, string(document), "vda1")
}

// files are all that At reads of names and tables.
var files = []string{
	"proc/cpuinfo", "proc/cmdline", "proc/version", "proc/stat", "proc/sys/kernel/osrelease", "proc/sys/kernel/arch",
	"proc/xen/capabilities", "proc/device-tree/compatible", "sys/hypervisor/type", "sys/class/dmi/id/sys_vendor",
	"sys/class/dmi/id/product_name", "sys/devices/system/clocksource/clocksource0/current_clocksource",
	"sys/devices/system/clocksource/clocksource0/available_clocksource", "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
	"sys/firmware/acpi/tables/FACP", "sys/devices/system/cpu/cpu0/topology/core_cpus_list", "sys/devices/system/cpu/cpu0/topology/core_id",
	"etc/os-release", "etc/debian_version", "run/systemd/container", "var/log/dmesg", "var/log/kern.log", "var/log/messages", "var/log/syslog",
}

func TestAtLeavesOutWhatMakesNoSense(t *testing.T) {
	for name, text := range map[string][]byte{
		"binary":        {0, 0xff, 0xfe, 0x1b, '[', '2', 'J', '\n', 0x80, ';', ',', '=', '"', '\n', 0xc3},
		"zeros":         make([]byte, 1<<20),
		"one long line": bytes.Repeat([]byte("x"), 1<<20),
		"blank lines":   bytes.Repeat([]byte("\n"), 1000),
		"escape":        []byte("\x1b]0;title\x07\n"),
	} {
		root := t.TempDir()
		for _, file := range files {
			writeFile(t, root, file, text)
		}
		got := At(root)
		require.NotEmpty(t, got.KernelLog.Reason, name)
		got.KernelLog = nil
		require.Equal(t, result.Host{OS: "linux"}, got, name)
	}
}

func TestAtOfAStrangeCPUInfo(t *testing.T) {
	for _, text := range []string{
		":\n::\nprocessor\nprocessor:\nprocessor: x\nflags:\n: : :\n", "flags: tsc\n", "processor: 99999999999999999999\n", "cpu cores: -4\nphysical id: 0\n\n",
	} {
		root := t.TempDir()
		writeFile(t, root, "proc/cpuinfo", []byte(text))
		require.Zero(t, At(root).CPU, text)
	}
}

func TestAtOfAnEmptyCoreID(t *testing.T) {
	root := t.TempDir()
	writeFile(t, root, "proc/cpuinfo", []byte("processor\t: 0\nmodel name\t: Nameless\nflags\t\t: fpu lm\n\n"))
	writeFile(t, root, "sys/devices/system/cpu/cpu0/topology/core_id", nil)
	got := At(root)
	require.Equal(t, "Nameless", got.CPU.Model)
	require.Equal(t, "amd64", got.Arch)
	require.Nil(t, got.CPU.InvariantTSC)
	require.Empty(t, got.CPU.TSCFlags, "no tsc, no flags of it")
}

func TestAtOfHugeFiles(t *testing.T) {
	root := t.TempDir()
	for _, file := range files {
		writeFile(t, root, file, nil)
		require.NoError(t, os.Truncate(filepath.Join(root, file), 1<<40))
	}
	got := At(root)
	got.KernelLog = nil
	require.Equal(t, result.Host{OS: "linux"}, got)
}

func TestAtOfAPrivilegedXenDomain(t *testing.T) {
	root := t.TempDir()
	writeFile(t, root, "proc/xen/capabilities", []byte("control_d\n"))
	require.Equal(t, &result.Virtualization{System: "xen", Role: "host"}, At(root).Virtualization)
}

// The record of an experiment that was killed with its guardian.
func TestAtOfAnUnrestoredClockSource(t *testing.T) {
	const folder = "sys/devices/system/clocksource/clocksource0/"
	const boot = "6b1e2f0c-58a8-4b43-9a0c-0d9e8f5a1c22"
	record := `{"original":"tsc","since":"2026-11-21T03:00:00Z","process":{"pid":412,"started":5120},"guardian":{"pid":419,"started":5133},"boot_id":"` + boot + `"}`
	for name, test := range map[string]struct {
		current, boot, stat string
		want                *result.UnrestoredClockSource
	}{
		"left":               {"hpet", boot, "", &result.UnrestoredClockSource{Original: "tsc", Since: time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC), PID: 412}},
		"restored":           {"tsc", boot, "", nil},
		"of another boot":    {"hpet", "0b9c2ad1-3f3e-4f0f-8f0d-5d8a0ad0f0a1", "", nil},
		"at this moment":     {"hpet", boot, processStat("S", 5120), nil},
		"dead, not reaped":   {"hpet", boot, processStat("Z", 5120), &result.UnrestoredClockSource{Original: "tsc", Since: time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC), PID: 412}},
		"a number used anew": {"hpet", boot, processStat("S", 9120), &result.UnrestoredClockSource{Original: "tsc", Since: time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC), PID: 412}},
	} {
		root := t.TempDir()
		writeFile(t, root, folder+"current_clocksource", []byte(test.current+"\n"))
		writeFile(t, root, folder+"available_clocksource", []byte("tsc hpet \n"))
		writeFile(t, root, "proc/sys/kernel/random/boot_id", []byte(test.boot+"\n"))
		writeFile(t, root, "run/timebench/clocksource.json", []byte(record))
		if test.stat != "" {
			writeFile(t, root, "proc/412/stat", []byte(test.stat))
		}
		require.Equal(t, test.want, At(root).UnrestoredClockSource, name)
	}
}

// processStat returns /proc/PID/stat of a process with a state and a start tick.
func processStat(state string, started int) string {
	return fmt.Sprintf("412 (timebench) %s 1 412 412 0 -1 4194304 1 0 0 0 1 1 0 0 20 0 4 0 %d 1 1 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n", state, started)
}

// The CPU reports KVM to all guests of KVM. The ACPI tables and the log identify Firecracker.
func TestAtOfFirecracker(t *testing.T) {
	header := func(oem string) []byte {
		return []byte("FACP\x14\x01\x00\x00\x06\xa0" + oem + "FCVMFADT\x00\x00\x00\x00FCAT\x19\x01\x24\x20body")
	}
	const kvmLog = "[    0.000000] Linux version 6.1.0\n[    0.000000] Hypervisor detected: KVM\n"
	for name, test := range map[string]struct {
		log, table, want string
	}{
		"neither":             {kvmLog, "", "kvm"},
		"the tables":          {kvmLog, string(header(firecrackerOEM)), "firecracker"},
		"another's tables":    {kvmLog, string(header("BOCHS ")), "kvm"},
		"a table cut short":   {kvmLog, string(header(firecrackerOEM)[:35]), "kvm"},
		"an empty table":      {kvmLog, " ", "kvm"},
		"the log":             {kvmLog + "[    0.001087] ACPI: RSDP 0x00000000000E0000 000024 (v02 FIRECK)\n", "", "firecracker"},
		"a program's name":    {kvmLog + "[    9.1] systemd[1]: Started FIRECK.\n", "", "kvm"},
		"another hypervisor":  {"[    0.000000] Hypervisor detected: VMware\n", string(header(firecrackerOEM)), "vmware"},
		"the log of dom0":     {"[    0.000000] Hypervisor detected: Xen PV\n[    0.1] ACPI: RSDP 0x0 000024 (v02 FIRECK)\n", "", "xen"},
		"a table of one line": {kvmLog, "FIRECK\n", "kvm"},
	} {
		root := t.TempDir()
		writeFile(t, root, "var/log/dmesg", []byte(test.log))
		if test.table != "" {
			writeFile(t, root, "sys/firmware/acpi/tables/FACP", []byte(test.table))
		}
		require.Equal(t, &result.Virtualization{System: test.want, Role: "guest"}, At(root).Virtualization, name)
	}
}

func FuzzTableOEM(f *testing.F) {
	f.Add(strings.Repeat("FIRECK", 6))
	f.Add("")
	f.Fuzz(func(t *testing.T, table string) {
		oem := tableOEM(table)
		require.Contains(t, table, oem)
		require.Equal(t, len(table) >= 36, len(oem) == 6)
	})
}

func TestFirmwareHypervisor(t *testing.T) {
	for _, c := range []struct{ vendor, product, want string }{
		{"VMware, Inc.", "VMware20,1", "vmware"}, {"Microsoft Corporation", "Virtual Machine", "hyperv"},
		{"Microsoft Corporation", "Surface Laptop 5", ""}, {"Apple Inc.", "Macmini8,1", ""}, {"Amazon EC2", "m5.metal", ""}, {"", "", ""},
		{"BHYVE", "BHYVE", "bhyve"}, {"OxVM", "OxVM", "bhyve"}, {"Oxide", "OxVM", "bhyve"}, {"Oxide", "", ""},
		{"OpenStack Foundation", "OpenStack Nova", "kvm"}, {"RDO", "OpenStack Compute", "kvm"},
	} {
		require.Equal(t, c.want, firmwareHypervisor(t.TempDir(), &result.Machine{Vendor: c.vendor, Product: c.product}), "%+v", c)
	}
}

// A guest whose firmware has the name of a cloud, or whose kernel can run guests itself, as the CPU flag shows.
func TestAtOfAGuestOfAnUnknownHypervisor(t *testing.T) {
	unknown := &result.Virtualization{System: "unknown", Role: "guest"}
	for name, test := range map[string]struct {
		flags, vendor, modules, xen string
		want                        *result.Virtualization
	}{
		"a guest":                {flags: "fpu tsc hypervisor", vendor: "Amazon EC2", want: unknown},
		"a machine":              {flags: "fpu tsc", vendor: "Amazon EC2"},
		"a name like the flag":   {flags: "fpu tsc hypervisor_x", vendor: "Amazon EC2"},
		"no DMI":                 {flags: "fpu tsc hypervisor", want: unknown},
		"a known firmware":       {flags: "fpu tsc hypervisor", vendor: "VMware, Inc.", want: &result.Virtualization{System: "vmware", Role: "guest"}},
		"with KVM loaded":        {flags: "fpu tsc hypervisor", vendor: "Google", modules: "kvm 1 0 - Live 0x0\n", want: unknown},
		"a host":                 {flags: "fpu tsc", modules: "kvm 1 0 - Live 0x0\n", want: &result.Virtualization{System: "kvm", Role: "host"}},
		"the first domain (Xen)": {flags: "fpu tsc hypervisor", xen: "control_d\n", want: &result.Virtualization{System: "xen", Role: "host"}},
	} {
		root := t.TempDir()
		writeFile(t, root, "proc/cpuinfo", []byte("processor\t: 0\nmodel name\t: Nameless\nflags\t\t: "+test.flags+"\n\n"))
		writeFile(t, root, "sys/class/dmi/id/sys_vendor", []byte(test.vendor))
		writeFile(t, root, "proc/modules", []byte(test.modules))
		writeFile(t, root, "proc/xen/capabilities", []byte(test.xen))
		require.Equal(t, test.want, At(root).Virtualization, name)
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		" tsc \n": "tsc", "Dell Inc.": "Dell Inc.", "Müller": "Müller", "": "", "a\x1bb": "", "a\x00": "", "\xff": "",
		"two\nlines": "", strings.Repeat("x", maxName+1): "", strings.Repeat("x", maxName): strings.Repeat("x", maxName),
	} {
		require.Equal(t, want, printable(in), "%q", in)
	}
}

func writeFile(t *testing.T, root, name string, text []byte) {
	t.Helper()
	path := filepath.Join(root, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, text, 0o644))
}
