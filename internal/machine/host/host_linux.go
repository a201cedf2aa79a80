package host

import (
	"path/filepath"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/system/debuglog"
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
	facts := result.Host{OS: "linux"}
	flags := addCPUInfo(&facts.CPU, root)
	addNames(&facts, root, flags)
	facts.CPU.Quota, facts.CPU.QuotaPeriodNS = quota(root)
	facts.CPU.Governors = governors(root)
	facts.Machine = machine(root)
	facts.ServiceManager = serviceManager(root)
	facts.BootTools = bootTools(root)
	facts.WSL = wsl(root, facts.Kernel)
	facts.TimeServices = timeServices(root)
	facts.Container = container(root)
	sources, err := clockSource(root)
	if err != nil {
		debuglog.Printf("host", "clock source: %v", err)
	}
	facts.ClockSource = sources
	facts.UnrestoredClockSource = unrestored(root)
	facts.BootParameters = kernellog.BootParameters(readFile(root, "proc/cmdline"))
	log, lines, messages := kernelLog(root)
	facts.KernelLog = log
	facts.CPU.KernelTSCHz = loggedTSCHz(lines)
	facts.Virtualization = virtualization(root, lines, flags, facts.Machine)
	if v := facts.Virtualization; v != nil && v.System == "kvm" && v.Role == "guest" && firecracker(root, messages) {
		v.System = "firecracker"
	}
	if root == live {
		facts.TimeSync = TimeSync()
		facts.WallOffsets = wallOffsets(root)
		facts.RefusedCalls = refusedCalls(facts.Kernel)
		if facts.CPU.KernelTSCHz == 0 {
			facts.CPU.KernelTSCHz = perfTSCHz()
		}
	}
	return facts
}
