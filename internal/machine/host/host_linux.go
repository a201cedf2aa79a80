package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/shirou/gopsutil/v4/host"
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
// missing or invalid. Only for the root "/" it also queries the CPU, the kernel and this
// process. For a recorded machine, the CPUs that the process may use, its limits, the time
// synchronisation, and what its wall clock is compared with are unknown.
func At(root string) result.Host {
	root = filepath.Clean(root)
	hypervisor := ""
	if root == live {
		hypervisor = cpuHypervisor()
	}
	log, lines, messages := kernelLog(root)
	facts := inFiles(below(root), readTable(root, cpuinfo), hypervisor, lines, messages)
	facts.KernelLog = log
	addCPUCounts(&facts.CPU, root)
	if root == live {
		facts.Arch = runtime.GOARCH
		if kernel, err := host.KernelVersion(); err == nil {
			facts.Kernel = kernel
		}
	}
	facts.CPU.Quota, facts.CPU.QuotaPeriodNS = quota(root)
	facts.CPU.Governors = governors(root)
	facts.ServiceManager = serviceManager(root)
	facts.BootTools = bootTools(root)
	facts.WSL = wsl(root, facts.Kernel)
	facts.TimeServices = timeServices(root)
	facts.Container = container(root)
	facts.UnrestoredClockSource = unrestored(root)
	facts.VMClock = vmclock.Read(root, firstMarker(facts.Virtualization))
	if root == live {
		_, err := os.Stat(filepath.Join("/lib/modules", facts.Kernel))
		facts.NoModules = errors.Is(err, fs.ErrNotExist)
		facts.TimeSync = TimeSync()
		facts.WallOffsets = wallOffsets(root)
		facts.RefusedCalls = refusedCalls(facts.Kernel)
		if facts.CPU.KernelTSCHz == 0 {
			facts.CPU.KernelTSCHz = perfTSCHz()
		}
	}
	return facts
}

func firstMarker(v *result.Virtualization) uint64 {
	if v != nil && v.System == "firecracker" {
		return vmclock.FirstOfFirecracker
	}
	return vmclock.FirstOfQEMU
}

const cpuinfo = "proc/cpuinfo"

// Of returns the facts in some files of a machine, by their paths, and in lines that its kernel logged.
func Of(content map[string][]byte, lines []string) result.Host {
	of := func(name string) string { return strings.TrimSpace(string(content[name])) }
	var messages []kernellog.Message
	for _, line := range lines {
		messages = append(messages, kernellog.Split(line))
	}
	facts := inFiles(of, string(content[cpuinfo]), "", clockLines(messages), messages)
	const noFolder = "/dev/null"
	facts.WSL = wsl(noFolder, facts.Kernel)
	return facts
}

// inFiles returns the facts in the files of a machine. hypervisor is what the CPU reports; lines are the logged lines
// about clocks, and messages all messages.
func inFiles(of reader, cpus, hypervisor string, lines []string, messages []kernellog.Message) result.Host {
	facts := result.Host{OS: "linux"}
	flags := addCPUInfo(&facts.CPU, cpus)
	facts.CPU.KernelTSCHz = loggedTSCHz(lines)
	addNames(&facts, of, flags)
	facts.Machine = machine(of)
	facts.ClockSource = clockSource(of)
	facts.BootParameters = kernellog.BootParameters(of("proc/cmdline"))
	facts.Virtualization = virtualization(of, hypervisor, lines, flags, facts.Machine)
	if v := facts.Virtualization; v != nil && v.System == "kvm" && v.Role == "guest" && firecracker(of, messages) {
		v.System = "firecracker"
	}
	if v := facts.Virtualization; v != nil && v.System == "qemu" && strings.Contains(facts.CPU.Model, "TCG") {
		v.System = "tcg"
	}
	return facts
}

// addCPUCounts adds what /proc/cpuinfo does not have. For a recorded machine it assumes that the process may use all
// CPUs.
func addCPUCounts(facts *result.CPU, root string) {
	if root == live {
		facts.Logical = max(facts.Logical, runtime.NumCPU())
		facts.Usable = len(thread.Usable())
		facts.SchedulingPolicy = thread.RealTimePolicy()
	}
	if cores := coresInSysfs(root); cores > 0 {
		facts.Physical = cores
	}
	if facts.Physical > facts.Logical {
		facts.Physical = 0
	}
}
