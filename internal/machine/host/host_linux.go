package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/machine/vmclock"
)

// live is the root of the machine that the process runs on.
const live = "/"

// Facts returns the facts about this machine. It leaves TSCHz empty, which needs a
// measurement.
func Facts() result.Host { return At(live) }

// At returns the facts about the machine whose files are below root. It leaves out what is
// missing or invalid. Only for the root "/" it also queries the CPU, system calls and this
// process. For a recorded machine, the CPUs that the process may use, its limits, the time
// synchronisation, and what its wall clock is compared with are unknown.
func At(root string) result.Host {
	root = filepath.Clean(root)
	hypervisor := ""
	if root == live {
		hypervisor = cpuHypervisor()
	}
	log, events := kernelLog(root)
	facts := inFiles(below(root), readTable(root, cpuinfo), hypervisor, events)
	facts.KernelLog = log
	addCPUCounts(&facts.CPU, root, facts.Kernel)
	if root == live {
		facts.Arch = runtime.GOARCH
	}
	facts.CPU.Quota, facts.CPU.QuotaPeriodNS = quota(root)
	facts.CPU.Governors = governors(root)
	facts.ServiceManager = serviceManager(root)
	facts.BootTools = bootTools(root)
	facts.WSL = wsl(root, facts.Kernel)
	facts.TimeServices = timeServices(root)
	facts.Container = container(root, facts.WSL)
	facts.UnrestoredClockSource = unrestored(root)
	facts.VMClock = vmclock.Read(root, facts.Virtualization != nil && facts.Virtualization.System == "firecracker")
	if root == live {
		// A container has the files of its image, which say nothing about the kernel.
		facts.NoModules = facts.Container == "" && noModules(root, facts.Kernel)
		facts.TimeSync = TimeSync()
		facts.WallOffsets = wallOffsets(root)
		facts.RefusedCalls = refusedCalls(facts.Kernel)
		if facts.CPU.KernelTSCHz == 0 {
			facts.CPU.KernelTSCHz = perfTSCHz()
		}
	}
	return facts
}

// noModules returns whether a kernel has no modules: none are loaded, and their folder is missing, which NixOS has
// elsewhere.
func noModules(root, kernel string) bool {
	_, err := os.Stat(filepath.Join(root, "lib/modules", kernel))
	return errors.Is(err, fs.ErrNotExist) && readTable(root, "proc/modules") == ""
}

const cpuinfo = "proc/cpuinfo"

// Of returns the facts in some files of a machine, by their paths, and in the log of its kernel.
func Of(content map[string][]byte, log []kernellog.Event) result.Host {
	of := func(name string) string { return strings.TrimSpace(string(content[name])) }
	facts := inFiles(of, string(content[cpuinfo]), "", log)
	const noFolder = "/dev/null"
	facts.WSL = wsl(noFolder, facts.Kernel)
	return facts
}

// inFiles returns the facts in the files of a machine and in its log. hypervisor is what the CPU reports.
func inFiles(of reader, cpus, hypervisor string, log []kernellog.Event) result.Host {
	facts := result.Host{OS: "linux"}
	flags := addCPUInfo(&facts.CPU, cpus)
	facts.CPU.KernelTSCHz = loggedTSCHz(log)
	addNames(&facts, of, flags)
	facts.Machine = machine(of)
	facts.ClockSource = clockSource(of)
	facts.BootParameters = kernellog.BootParameters(of("proc/cmdline"))
	logged := printable(kernellog.MachineOf(log).Hypervisor)
	facts.Virtualization = virtualization(of, hypervisor, logged, flags, facts.Machine)
	switch v := facts.Virtualization; {
	case v == nil:
	case v.System == "kvm" && v.Role == "guest" && (logged == "firecracker" || firecracker(of)):
		v.System = "firecracker"
	case v.System == "qemu" && strings.Contains(facts.CPU.Model, "TCG"):
		v.System = "tcg"
	}
	return facts
}

// addCPUCounts adds what /proc/cpuinfo does not have. For a recorded machine it assumes that the process may use all
// CPUs.
func addCPUCounts(facts *result.CPU, root, kernel string) {
	if root == live {
		facts.Logical = max(facts.Logical, runtime.NumCPU())
		facts.Usable = len(thread.Usable())
		facts.SchedulingPolicy = thread.RealTimePolicy()
	}
	if cores := coresInSysfs(root); cores > 0 {
		facts.Physical = cores
	}
	if facts.Packages == 0 { // only x86 has them in /proc/cpuinfo
		facts.Packages = packagesInSysfs(root, kernel)
	}
	if facts.Physical > facts.Logical {
		facts.Physical = 0
	}
}
