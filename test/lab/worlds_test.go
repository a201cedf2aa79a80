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
	threads  string   // the numbers of threads of the report
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
		sources: []string{"hpet", "acpi_pm"}, threads: "1,2",
		machine: machine("-cpu max", 512, 2, "ttyS0", ""),
	},
	{
		name: "tsc", about: "x86-64 with tsc=reliable",
		arch: "amd64", emulator: x86, source: "tsc", vdso: result.Never,
		sources: []string{"tsc", "hpet", "acpi_pm"}, threads: "1,2",
		machine: machine("-cpu max,+invtsc", 512, 2, "ttyS0", "tsc=reliable wait=tsc"),
	},
	{
		name: "acpi_pm", about: "hpet, switched to the ACPI timer",
		arch: "amd64", emulator: x86, source: "acpi_pm", vdso: result.Always, finding: kernelEntry, threads: "1,2",
		machine: machine("-cpu max", 512, 2, "ttyS0", "select=acpi_pm"),
	},
	{
		// The kernel of the cloud images was not made for the first domain: Xen gives it only the console for early
		// messages.
		name: "xen", about: "x86-64, a paravirtual domain of Xen",
		arch: "amd64", emulator: x86, source: "xen", vdso: result.Always, finding: kernelEntry, threads: "1",
		may: []string{"steal"}, // Xen is a program too
		machine: []string{"-cpu", "qemu64", "-m", "1024", "-smp", "1", "-kernel", "parts/xen",
			"-append", "console=com1 com1=115200 loglvl=warning dom0=pv",
			"-initrd", "parts/vmlinuz console=hvc0 earlyprintk=xen keep_bootcon printk.devkmsg=on panic=-1 output=kmsg,initrd"},
	},
	{
		name: "arm64", about: "arm64, a Cortex-A72",
		arch: "arm64", emulator: arm, source: "arch_sys_counter", vdso: result.Never, threads: "1,2",
		may:     []string{notScaling}, // the emulator has one counter for all CPUs
		machine: machine("-M virt -cpu cortex-a72", 512, 2, "ttyAMA0", ""),
	},
	{
		name: "smp4", about: "tsc with four CPUs",
		arch: "amd64", emulator: x86, source: "tsc", vdso: result.Never, threads: "1..4",
		may:     []string{notScaling},
		machine: machine("-cpu max,+invtsc", 512, 4, "ttyS0", "tsc=reliable wait=tsc"),
	},
	{
		name: "novdso", about: "tsc with vdso=0",
		arch: "amd64", emulator: x86, source: "tsc", finding: "no-vdso", threads: "1,2",
		machine: machine("-cpu max,+invtsc", 512, 2, "ttyS0", "tsc=reliable vdso=0 wait=tsc"),
	},
}

// machine returns the arguments of an emulator of a kind of machine, with this memory in MB and these CPUs, that boots
// Linux with its console and other words on the kernel command line.
func machine(kind string, memory, cpus int, console, words string, more ...string) []string {
	return append(append(strings.Fields(kind), "-m", strconv.Itoa(memory), "-smp", strconv.Itoa(cpus), "-kernel",
		"parts/vmlinuz", "-initrd", "initrd", "-append", strings.TrimSpace("console="+console+" panic=-1 "+words)), more...)
}

// named returns the world of a name, whose machine may be changed.
func named(name string) world {
	w := worlds[slices.IndexFunc(worlds, func(w world) bool { return w.name == name })]
	w.machine = slices.Clone(w.machine)
	return w
}

// set changes the value of an argument of the machine.
func (w world) set(argument, value string) { w.machine[slices.Index(w.machine, argument)+1] = value }

// boots adds words to the kernel command line.
func (w world) boots(words string) { w.machine[slices.Index(w.machine, "-append")+1] += " " + words }

// Kinds of findings: the vDSO enters the kernel; no machine of the lab has a time service;
// a clock does not scale.
const (
	kernelEntry    = "kernel-entry"
	unsynchronised = "unsynchronised"
	notScaling     = "not-scaling"
)

// found returns the finding of a kind; nil if doctor did not find it.
func found(d *result.Document, kind string) *result.Finding {
	if i := slices.IndexFunc(d.Findings, func(f result.Finding) bool { return f.Kind == kind }); i >= 0 {
		return &d.Findings[i]
	}
	return nil
}

// kinds returns the kinds that doctor must find, each once, on a machine of this world, and the kinds that it found
// without the optional ones.
func (w world) kinds(findings []result.Finding) (must, found []string) {
	must = []string{unsynchronised}
	if w.finding != "" {
		must = append(must, w.finding)
	}
	for _, f := range findings {
		// A busy host lets an emulated interrupt take long.
		if f.Kind != "slow-interrupt" && !slices.Contains(w.may, f.Kind) {
			found = append(found, f.Kind)
		}
	}
	return must, found
}

// entries are the kernel entries of reads of vDSO clocks that do not depend on the clock source, by the clock's call.
// The rest are the fine clocks, which depend on the world.
var entries = map[string]string{
	// The value at the last tick is in memory.
	"CLOCK_REALTIME_COARSE":  result.Never,
	"CLOCK_MONOTONIC_COARSE": result.Never,
	"time":                   result.Never,
	// Only the kernel knows the CPU time of a process.
	"CLOCK_PROCESS_CPUTIME_ID": result.Always,
	"CLOCK_THREAD_CPUTIME_ID":  result.Always,
}
