//go:build lab && linux

package lab

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/timebench/timebench/internal/document/result"
)

// A world is a machine with a clock source.
type world struct {
	name     string
	about    string   // for the report
	arch     string   // as Go names it
	emulator string   // the program
	machine  []string // its arguments; "parts" is the folder of the kernels
	source   string   // the clock source that timebench must find
	vdso     string   // how a read of a fine clock by the vDSO enters the kernel; "" without a vDSO
	finding  string   // the kind that doctor must find first; "" for a machine without faults
	may      []string // the kinds that it may find besides: they show only on a quiet machine
	sources  []string // all clock sources, where an experiment is to switch between them
	// host carries out on this machine the request in a line on the console; nil without requests. "here" is the
	// emulator's folder.
	host func(t testing.TB, here, line string, emulator *os.Process)
}

const x86, arm = "qemu-system-x86_64", "qemu-system-aarch64"

// worlds are the machines of the lab. The kernel passes unknown words of its command line (select, wait, output) on to
// the program init.
var worlds = []world{
	{
		name: "hpet", about: "x86-64 without an invariant TSC",
		arch: "amd64", emulator: x86, source: "hpet", vdso: result.Always, finding: kernelEntry,
		sources: []string{"hpet", "acpi_pm"},
		machine: machine("-cpu max", 512, 2, "ttyS0", ""),
	},
	{
		name: "tsc", about: "x86-64 with tsc=reliable",
		arch: "amd64", emulator: x86, source: "tsc", vdso: result.Never,
		sources: []string{"tsc", "hpet", "acpi_pm"},
		machine: machine("-cpu max,+invtsc", 512, 2, "ttyS0", "tsc=reliable wait=tsc"),
	},
	{
		name: "acpi_pm", about: "hpet, switched to the ACPI timer",
		arch: "amd64", emulator: x86, source: "acpi_pm", vdso: result.Always, finding: kernelEntry,
		machine: machine("-cpu max", 512, 2, "ttyS0", "select=acpi_pm"),
	},
	{
		// The kernel of the cloud images was not made for the first domain: Xen gives it only the console for early
		// messages.
		name: "xen", about: "x86-64, a paravirtual domain of Xen",
		arch: "amd64", emulator: x86, source: "xen", vdso: result.Always, finding: kernelEntry,
		may: []string{"steal"}, // Xen is a program too
		machine: []string{"-cpu", "qemu64", "-m", "1024", "-smp", "1", "-kernel", "parts/xen",
			"-append", "console=com1 com1=115200 loglvl=warning dom0=pv",
			"-initrd", "parts/vmlinuz console=hvc0 earlyprintk=xen keep_bootcon printk.devkmsg=on panic=-1 output=kmsg,initrd"},
	},
	{
		name: "arm64", about: "arm64, a Cortex-A72",
		arch: "arm64", emulator: arm, source: "arch_sys_counter", vdso: result.Never,
		may:     []string{notScaling}, // the emulator has one counter for all CPUs
		machine: machine("-M virt -cpu cortex-a72", 512, 2, "ttyAMA0", ""),
	},
	{
		name: "smp4", about: "tsc with four CPUs",
		arch: "amd64", emulator: x86, source: "tsc", vdso: result.Never,
		may:     []string{notScaling},
		machine: machine("-cpu max,+invtsc", 512, 4, "ttyS0", "tsc=reliable wait=tsc"),
	},
	{
		name: "novdso", about: "tsc with vdso=0",
		arch: "amd64", emulator: x86, source: "tsc", finding: "no-vdso",
		machine: machine("-cpu max,+invtsc", 512, 2, "ttyS0", "tsc=reliable vdso=0 wait=tsc"),
	},
}

// otherCPUs are machines with CPUs that docs/lab.md does not compare.
var otherCPUs = []world{
	{
		name: "riscv64", arch: "riscv64", emulator: "qemu-system-riscv64", source: "riscv_clocksource", vdso: result.Never,
		// The kernel's tests of ciphers take CPU time for a minute.
		machine: machine("-machine virt -cpu rv64", 1024, 2, "ttyS0", "cryptomgr.notests=1"),
	},
	{
		name: "386", arch: "386", emulator: "qemu-system-i386", source: "tsc", vdso: result.Never,
		machine: machine("-cpu max,+invtsc", 1024, 2, "ttyS0", "tsc=reliable wait=tsc"),
	},
	{
		name: "arm", arch: "arm", emulator: "qemu-system-arm", source: "arch_sys_counter", vdso: result.Never,
		machine: machine("-M virt -cpu cortex-a15", 1024, 2, "ttyAMA0", ""),
	},
	{
		name: "s390x", arch: "s390x", emulator: "qemu-system-s390x", source: "tod", vdso: result.Never,
		machine: machine("-M s390-ccw-virtio -cpu max", 1024, 2, "ttysclp0", ""),
	},
	{
		name: "ppc64le", arch: "ppc64le", emulator: "qemu-system-ppc64", source: "timebase", vdso: result.Never,
		machine: machine("-M pseries -cpu power9 -vga none", 1024, 2, "hvc0", ""),
	},
}

// machine returns the arguments of an emulator of a kind of machine, with this memory in MB and these CPUs, that boots
// Linux with its console and other words on the kernel command line.
func machine(kind string, memory, cpus int, console, words string) []string {
	return append(strings.Fields(kind), "-m", strconv.Itoa(memory), "-smp", strconv.Itoa(cpus), "-kernel",
		"parts/vmlinuz", "-initrd", "initrd", "-append", strings.TrimSpace("console="+console+" panic=-1 "+words))
}

// named returns the world of a name.
func named(name string) world {
	return worlds[slices.IndexFunc(worlds, func(w world) bool { return w.name == name })]
}

// value returns the value of an argument of the machine.
func (w world) value(argument string) string { return w.machine[slices.Index(w.machine, argument)+1] }

// set returns the world with another value of an argument of its machine.
func (w world) set(argument, value string) world {
	w.machine = slices.Clone(w.machine)
	w.machine[slices.Index(w.machine, argument)+1] = value
	return w
}

// with returns the world with more arguments of its machine.
func (w world) with(arguments ...string) world {
	w.machine = slices.Concat(w.machine, arguments)
	return w
}

// boots returns the world with more words on the kernel command line.
func (w world) boots(words string) world { return w.set("-append", w.value("-append")+" "+words) }

// cpus returns the number of CPUs of the machine.
func (w world) cpus() int {
	n, _ := strconv.Atoi(w.value("-smp"))
	return n
}

// Kinds of findings: the vDSO enters the kernel; a clock does not scale.
const (
	kernelEntry = "kernel-entry"
	notScaling  = "not-scaling"
)
