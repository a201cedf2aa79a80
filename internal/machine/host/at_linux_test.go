package host

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

var update = flag.Bool("update", false, "write the facts of the recorded machines into testdata")

// A recorded machine is a folder of testdata, and its facts are the file beside it, which -update writes.
func TestAt(t *testing.T) {
	machines, err := filepath.Glob("testdata/*/proc")
	require.NoError(t, err)
	require.NotEmpty(t, machines)
	for _, proc := range machines {
		name := filepath.Dir(proc)
		got, err := json.MarshalIndent(At(name), "", "\t")
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.WriteFile(name+".json", append(got, '\n'), 0o644))
		}
		want, err := os.ReadFile(name + ".json")
		require.NoError(t, err, "add the facts: go test ./internal/machine/host -run TestAt -update")
		require.Equal(t, string(want), string(got)+"\n", name)
		require.NotContains(t, string(got), "not of the kernel", name)
	}
	none := At("testdata/none")
	require.NotEmpty(t, none.KernelLog.Reason)
	none.KernelLog = nil
	require.Equal(t, result.Host{OS: "linux"}, none)
}

// files are the files with names and tables that At reads.
var files = []string{
	"proc/cpuinfo", "proc/cmdline", "proc/version", "proc/stat", "proc/sys/kernel/osrelease", "proc/sys/kernel/arch",
	"proc/xen/capabilities", "proc/device-tree/compatible", "proc/device-tree/hypervisor/compatible", "proc/sysinfo", "sys/hypervisor/type", "sys/class/dmi/id/sys_vendor",
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
		"huge":          nil,
	} {
		root := t.TempDir()
		for _, file := range files {
			writeFile(t, root, file, text)
			if name == "huge" {
				require.NoError(t, os.Truncate(filepath.Join(root, file), 1<<40))
			}
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
		require.Zero(t, At(folder(t, map[string]string{"proc/cpuinfo": text})).CPU, text)
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

// The record of an experiment that was killed with its guardian. clocksource.TestAbandoned has the others.
func TestAtOfAnUnrestoredClockSource(t *testing.T) {
	const sources, boot = "sys/devices/system/clocksource/clocksource0/", "6b1e2f0c-58a8-4b43-9a0c-0d9e8f5a1c22"
	root := folder(t, map[string]string{
		sources + "current_clocksource": "hpet\n", sources + "available_clocksource": "tsc hpet \n", "proc/sys/kernel/random/boot_id": boot + "\n",
		"run/timebench/clocksource.json": `{"original":"tsc","since":"2026-11-21T03:00:00Z","pid":412,"boot_id":"` + boot + `"}`,
	})
	require.Equal(t, &result.UnrestoredClockSource{Original: "tsc", Since: time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC), PID: 412}, At(root).UnrestoredClockSource)
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
		"the log":             {kvmLog + "[    0.001087] ACPI: RSDP 0x00000000000E0000 000024 (v02 FIRECK)\n", "", "firecracker"},
		"a program's name":    {kvmLog + "[    9.1] systemd[1]: Started FIRECK.\n", "", "kvm"},
		"another hypervisor":  {"[    0.000000] Hypervisor detected: VMware\n", string(header(firecrackerOEM)), "vmware"},
		"the log of dom0":     {"[    0.000000] Hypervisor detected: Xen PV\n[    0.1] ACPI: RSDP 0x0 000024 (v02 FIRECK)\n", "", "xen"},
		"a table of one line": {kvmLog, "FIRECK\n", "kvm"},
	} {
		root := folder(t, map[string]string{"var/log/dmesg": test.log, "sys/firmware/acpi/tables/FACP": test.table})
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
		"a module like KVM's":    {flags: "fpu tsc", modules: "kvmgt 1 0 - Live 0x0\nkvm_amd 1"},
		"a guest of VirtualBox":  {modules: "ext4 1048576 1 - Live 0x0\nvboxguest 1 0 - Live 0x0\n", want: &result.Virtualization{System: "virtualbox", Role: "guest"}},
		"a host":                 {flags: "fpu tsc", modules: "kvm 1 0 - Live 0x0\n", want: &result.Virtualization{System: "kvm", Role: "host"}},
		"the first domain (Xen)": {flags: "fpu tsc hypervisor", xen: "control_d\n", want: &result.Virtualization{System: "xen", Role: "host"}},
	} {
		root := folder(t, map[string]string{
			"proc/cpuinfo":                "processor\t: 0\nmodel name\t: Nameless\nflags\t\t: " + test.flags + "\n\n",
			"sys/class/dmi/id/sys_vendor": test.vendor, "proc/modules": test.modules, "proc/xen/capabilities": test.xen,
		})
		require.Equal(t, test.want, At(root).Virtualization, name)
	}
}

func writeFile(t *testing.T, root, name string, text []byte) {
	t.Helper()
	path := filepath.Join(root, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, text, 0o644))
}

func TestTheCommandLineStaysAtHome(t *testing.T) {
	document, err := json.Marshal(At("testdata/kvm"))
	require.NoError(t, err)
	require.NotContains(t, string(document), "hunter2")
	require.NotContains(t, string(document), "vda1")
}

// The device tree and the s390x system information name the hypervisor, which these CPUs do not report.
func TestAtOfOtherCPUs(t *testing.T) {
	for _, test := range []struct{ file, content, want string }{
		{"proc/device-tree/compatible", "qemu,pseries\x00", "qemu"},
		{"proc/device-tree/hypervisor/compatible", "linux,kvm\x00", "kvm"},
		{"proc/device-tree/compatible", "riscv-virtio\x00", "qemu"},
		{"proc/sysinfo", "Manufacturer: QEMU\nVM00 Name: guest\nVM00 Control Program: KVM/Linux \nVM00 Adjustment: 250\n", "kvm"},
		{"proc/sysinfo", "Manufacturer: IBM\nVM00 Control Program: z/VM    7.3.0\n", "zvm"},
		{"proc/sysinfo", "Manufacturer: IBM\nLPAR Number: 3\n", ""},
		{"proc/device-tree/compatible", "raspberrypi,4-model-b\x00brcm,bcm2711\x00", ""},
	} {
		root := t.TempDir()
		file := filepath.Join(root, test.file)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(test.content), 0o600))
		var want *result.Virtualization
		if test.want != "" {
			want = &result.Virtualization{System: test.want, Role: "guest"}
		}
		require.Equal(t, want, At(root).Virtualization, "%s: %q", test.file, test.content)
	}
}
