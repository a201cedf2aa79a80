package host

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// tscFlags are the flags of /proc/cpuinfo that concern the time stamp counter, in the order of
// the document (arch/x86/include/asm/cpufeatures.h).
var tscFlags = []string{
	"constant_tsc", "nonstop_tsc", "tsc_reliable", "tsc_known_freq", "tsc_adjust", "rdtscp", "tsc_deadline_timer", "art",
}

// addCPUInfo adds the facts of /proc/cpuinfo, and returns the flags of the first CPU.
// The kernel sets nonstop_tsc from the CPU's invariant TSC bit (CPUID 80000007H, EDX
// bit 8), in arch/x86/kernel/cpu/intel.c and amd.c, and constant_tsc with it.
func addCPUInfo(facts *result.CPU, root string) []string {
	addCPUCounts(facts, root)
	if !regular(filepath.Join(root, "proc/cpuinfo")) {
		return nil
	}
	// gopsutil would read /sys too, and panics if topology/core_id is empty.
	infos, err := cpu.InfoWithContext(below(root, os.DevNull))
	if err != nil || len(infos) == 0 {
		debuglog.Printf("host", "/proc/cpuinfo: %d CPUs, error %v", len(infos), err)
		return nil
	}
	packages := map[string]bool{}
	for _, info := range infos {
		packages[info.PhysicalID] = true
	}
	facts.Packages = len(packages)
	facts.Model = printable(infos[0].ModelName)
	flags := infos[0].Flags
	if slices.Contains(flags, "tsc") {
		invariant := slices.Contains(flags, "constant_tsc") && slices.Contains(flags, "nonstop_tsc")
		facts.InvariantTSC = &invariant
		for _, flag := range tscFlags {
			if slices.Contains(flags, flag) {
				facts.TSCFlags = append(facts.TSCFlags, flag)
			}
		}
	}
	return flags
}

// addCPUCounts counts CPUs. For a recorded machine it assumes that the process may use all.
func addCPUCounts(facts *result.CPU, root string) {
	if root == live {
		facts.Logical = runtime.NumCPU()
	}
	if regular(filepath.Join(root, "proc/cpuinfo")) {
		files := below(root, filepath.Join(root, "sys"))
		if logical, err := cpu.CountsWithContext(files, true); err == nil && logical > 0 {
			facts.Logical = logical
		}
		if physical, err := cpu.CountsWithContext(files, false); err == nil && physical > 0 && physical <= facts.Logical {
			facts.Physical = physical
		}
	}
	facts.Usable = facts.Logical
	if root == live {
		facts.Usable = len(thread.Usable())
		facts.SchedulingPolicy = thread.RealTimePolicy()
	}
}
