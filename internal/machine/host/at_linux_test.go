package host

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

var update = flag.Bool("update", false, "write the facts of the recorded machines")

// A recorded machine is a folder of testdata, and its facts stand in machines.golden, which -update writes. Of the
// kernel log they have the first line and the number of lines: package kernellog tests which lines are kept.
func TestAt(t *testing.T) {
	machines, err := filepath.Glob("testdata/*/proc")
	require.NoError(t, err)
	var got strings.Builder
	for _, proc := range machines {
		facts := At(filepath.Dir(proc))
		whole, err := json.Marshal(facts)
		require.NoError(t, err)
		for _, never := range []string{"not of the kernel", "hunter2", "vda1"} { // of programs, or of the command line
			require.NotContains(t, string(whole), never, proc)
		}
		if log := facts.KernelLog; len(log.Lines) > 0 {
			log.Lines = []string{log.Lines[0], strconv.Itoa(len(log.Lines))}
		}
		whole, err = json.Marshal(facts)
		require.NoError(t, err)
		var keys map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(whole, &keys))
		fmt.Fprintln(&got, filepath.Base(filepath.Dir(proc)))
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			fmt.Fprintf(&got, "  %s %s\n", key, keys[key])
		}
	}
	const golden = "testdata/machines.golden"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String(), "go test ./internal/machine/host -run TestAt -update")
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
	"sys/firmware/acpi/tables/FACP", "sys/devices/system/cpu/cpu0/topology/core_cpus_list",
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
		require.Zero(t, At(rooted(t, map[string]string{"proc/cpuinfo": text})).CPU, text)
	}
}

func TestAtOfACPUWithoutTSC(t *testing.T) {
	got := At(rooted(t, map[string]string{"proc/cpuinfo": "processor\t: 0\nmodel name\t: Nameless\nflags\t\t: fpu lm\n\n"}))
	require.Equal(t, "Nameless", got.CPU.Model)
	require.Equal(t, "amd64", got.Arch)
	require.Nil(t, got.CPU.InvariantTSC)
	require.Empty(t, got.CPU.TSCFlags, "no tsc, no flags of it")
}

// The CPUs of Arm: two kinds of cores, and the sockets of a server, which /proc/cpuinfo lacks.
func TestAtOfArm(t *testing.T) {
	cpu := func(number, part string) string {
		return "processor\t: " + number + "\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: " + part + "\n\n"
	}
	const topology, release = "sys/devices/system/cpu/cpu%d/topology/physical_package_id", "proc/sys/kernel/osrelease"
	for name, test := range map[string]struct {
		parts, sockets []string
		files          map[string]string
		model          string
		packages       int
	}{
		"big.LITTLE": {[]string{"0xd03", "0xd03", "0xd08"}, []string{"0", "0", "0"}, nil, "Cortex-A53 + Cortex-A72", 1},
		"a server":   {[]string{"0xd0c", "0xd0c", "0xd0c"}, []string{"0", "0", "1"}, nil, "Neoverse-N1", 2},
		"clusters of an old kernel": {[]string{"0xd03", "0xd08"}, []string{"0", "1"},
			map[string]string{"sys/firmware/devicetree/x": "", release: "5.15.0"}, "Cortex-A53 + Cortex-A72", 0},
		"a new kind": {[]string{"0xd80", "0xdff"}, []string{"0", "0"}, nil, "Cortex-A520 + part 0xdff", 1},
		"only new":   {[]string{"0xdff"}, []string{"0"}, nil, "", 1},
		"a guest":    {[]string{"0xd4f"}, []string{"-1"}, nil, "Neoverse-V2", 0},
	} {
		root := rooted(t, test.files)
		var info strings.Builder
		for i, part := range test.parts {
			info.WriteString(cpu(strconv.Itoa(i), part))
			writeFile(t, root, fmt.Sprintf(topology, i), []byte(test.sockets[i]+"\n"))
		}
		writeFile(t, root, "proc/cpuinfo", []byte(info.String()))
		got := At(root).CPU
		require.Equal(t, test.model, got.Model, name)
		require.Equal(t, test.packages, got.Packages, name)
	}
}

// NixOS has the modules in another folder, but some are loaded.
func TestNoModules(t *testing.T) {
	const release = "6.12.30"
	require.True(t, noModules(t.TempDir(), release))
	require.False(t, noModules(rooted(t, map[string]string{"proc/modules": "kvm 1 0 - Live 0x0\n"}), release))
	require.False(t, noModules(rooted(t, map[string]string{"lib/modules/" + release + "/modules.dep": ""}), release))
}

// The record of an experiment that was killed with its guardian. clocksource.TestAbandoned has the others.
func TestAtOfAnUnrestoredClockSource(t *testing.T) {
	const sources, boot = "sys/devices/system/clocksource/clocksource0/", "6b1e2f0c-58a8-4b43-9a0c-0d9e8f5a1c22"
	root := rooted(t, map[string]string{
		sources + "current_clocksource": "hpet\n", sources + "available_clocksource": "tsc hpet \n", "proc/sys/kernel/random/boot_id": boot + "\n",
		"run/timebench/clocksource.json": `{"original":"tsc","since":"2026-11-21T03:00:00Z","pid":412,"boot_id":"` + boot + `"}`,
	})
	require.Equal(t, &result.UnrestoredClockSource{Original: "tsc", Since: time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC), PID: 412}, At(root).UnrestoredClockSource)
}

// The hypervisor is in the log, the ACPI tables, the firmware, the loaded modules, the device tree, the system
// information of s390x and the files of Xen. The CPU reports KVM to all guests of KVM, so Firecracker shows only in
// the tables or the log. The flag of the CPU shows a guest of an unknown hypervisor, which may run guests itself.
func TestVirtualization(t *testing.T) {
	acpi := func(oem string) string {
		return "FACP\x14\x01\x00\x00\x06\xa0" + oem + "FCVMFADT\x00\x00\x00\x00FCAT\x19\x01\x24\x20body"
	}
	cpu := func(flags string) string {
		return "processor\t: 0\nmodel name\t: Nameless\nflags\t\t: " + flags + "\n\n"
	}
	const (
		dmesg, facp, vendor = "var/log/dmesg", "sys/firmware/acpi/tables/FACP", "sys/class/dmi/id/sys_vendor"
		info, modules, dom0 = "proc/cpuinfo", "proc/modules", "proc/xen/capabilities"
		tree, above, s390   = "proc/device-tree/compatible", "proc/device-tree/hypervisor/compatible", "proc/sysinfo"

		kvm         = "[    0.000000] Linux version 6.1.0\n[    0.000000] Hypervisor detected: KVM\n"
		vmware, xen = "[    0.0] Hypervisor detected: VMware\n", "[    0.0] Hypervisor detected: Xen PV\n"
		rsdp        = "[    0.001087] ACPI: RSDP 0x00000000000E0000 000024 (v02 FIRECK)\n"
		guest       = "fpu tsc hypervisor"
	)
	type has = map[string]string
	for name, test := range map[string]struct {
		files has
		want  string
	}{
		"the log":                {has{dmesg: kvm}, "kvm guest"},
		"Firecracker's tables":   {has{dmesg: kvm, facp: acpi(firecrackerOEM)}, "firecracker guest"},
		"another's tables":       {has{dmesg: kvm, facp: acpi("BOCHS ")}, "kvm guest"},
		"a table cut short":      {has{dmesg: kvm, facp: acpi(firecrackerOEM)[:35]}, "kvm guest"},
		"a table of one line":    {has{dmesg: kvm, facp: "FIRECK\n"}, "kvm guest"},
		"another hypervisor":     {has{dmesg: vmware, facp: acpi(firecrackerOEM)}, "vmware guest"},
		"Firecracker's log":      {has{dmesg: kvm + rsdp}, "firecracker guest"},
		"a program's name":       {has{dmesg: kvm + "[    9.1] systemd[1]: Started FIRECK.\n"}, "kvm guest"},
		"the log of dom0":        {has{dmesg: xen + rsdp}, "xen guest"},
		"a cloud":                {has{info: cpu(guest), vendor: "Amazon EC2"}, "unknown guest"},
		"a machine of a cloud":   {has{info: cpu("fpu tsc"), vendor: "Amazon EC2"}, ""},
		"a name like the flag":   {has{info: cpu("fpu tsc hypervisor_x"), vendor: "Amazon EC2"}, ""},
		"no DMI":                 {has{info: cpu(guest)}, "unknown guest"},
		"a known firmware":       {has{info: cpu(guest), vendor: "VMware, Inc."}, "vmware guest"},
		"with KVM loaded":        {has{info: cpu(guest), vendor: "Google", modules: "kvm 1 0 - Live 0x0\n"}, "unknown guest"},
		"a module like KVM's":    {has{info: cpu("fpu tsc"), modules: "kvmgt 1 0 - Live 0x0\nkvm_amd 1"}, ""},
		"a guest of VirtualBox":  {has{modules: "ext4 1048576 1 - Live 0x0\nvboxguest 1 0 - Live 0x0\n"}, "virtualbox guest"},
		"a host":                 {has{info: cpu("fpu tsc"), modules: "kvm 1 0 - Live 0x0\n"}, "kvm host"},
		"the first domain (Xen)": {has{info: cpu(guest), dom0: "control_d\n"}, "xen host"},
		"ppc64le":                {has{tree: "qemu,pseries\x00"}, "qemu guest"},
		"arm64":                  {has{above: "linux,kvm\x00"}, "kvm guest"},
		"riscv64":                {has{tree: "riscv-virtio\x00"}, "qemu guest"},
		"a Raspberry Pi":         {has{tree: "raspberrypi,4-model-b\x00brcm,bcm2711\x00"}, ""},
		"s390x on KVM":           {has{s390: "VM00 Name: guest\nVM00 Control Program: KVM/Linux \n"}, "kvm guest"},
		"s390x on z/VM":          {has{s390: "Manufacturer: IBM\nVM00 Control Program: z/VM    7.3.0\n"}, "zvm guest"},
		"s390x in a partition":   {has{s390: "Manufacturer: IBM\nLPAR Number: 3\n"}, ""},
	} {
		got := ""
		if v := At(rooted(t, test.files)).Virtualization; v != nil {
			got = v.System + " " + v.Role
		}
		require.Equal(t, test.want, got, name)
	}
}

func writeFile(t *testing.T, root, name string, text []byte) {
	t.Helper()
	path := filepath.Join(root, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, text, 0o644))
}
