package remedy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/show/words"
)

// programRemedies change how programs read clocks, what they may use of the machine, or how it is measured.
var programRemedies = map[string]remedy{
	"newer-engine": {where: (*machine).OnLinux, source: "docker/for-win#8326, docker-library/python#674, moby: the default profile knows clock_gettime64 since Docker 19.03.9; libseccomp knows it since 2.4.2",
		advice: "On the host of the container, use Docker 19.03.9 or later with libseccomp 2.4.2 or later (or a version of Podman, containerd or CRI-O of 2020 and later)",
		risk:   "That of any upgrade of the container engine."},
	"allow-calls": {where: (*machine).OnLinux, source: "docs.docker.com/engine/security/seccomp; systemd.exec(5): SystemCallFilter",
		advice: "With a profile of your own, allow clock_gettime, clock_gettime64, clock_getres, gettimeofday and time (in a unit of systemd: SystemCallFilter=), or answer unknown calls with ENOSYS"},
	"read-real-clock": {source: "edgelesssys/ego#236; wolfcw/libfaketime; Wine's ntdll",
		advice: "Measure intervals shorter than a tick with a counter of the CPU or a clock of the host, or outside of the emulator, sandbox or enclave. Check LD_PRELOAD and /etc/ld.so.preload for a library that stands in for the clock",
		command: func(s *machine) []string {
			return words.Either(s.OnLinux(), []string{"env | grep LD_PRELOAD; cat /etc/ld.so.preload"}, nil)
		}},
	"read-monotonic": {source: "arch/x86/entry/vdso: CLOCK_TAI since Linux 4.20 (315f28fa), CLOCK_MONOTONIC_RAW and CLOCK_BOOTTIME since 5.3 (generic vDSO); google/gvisor#7975",
		advise: func(s *machine) string {
			switch {
			case s.InGVisor():
				return "Until then read CLOCK_MONOTONIC or CLOCK_REALTIME on a hot path, which this sandbox reads in user mode"
			case s.OlderThan(5, 3):
				return "On a hot path read CLOCK_MONOTONIC or CLOCK_REALTIME, or use Linux 5.3 or later"
			}
			return "On a hot path read CLOCK_MONOTONIC or CLOCK_REALTIME, or use a newer kernel"
		}},
	"read-less": {source: "docs/measuring.md",
		advise: func(s *machine) string {
			return words.Either(s.OnLinux() && s.OnX86() && !slices.Contains(situation.TickSources, s.ClockSource), "Use a clock source that each CPU has itself (tsc on x86), and read the time less often on hot paths", "Read the time less often on hot paths")
		},
		command: func(s *machine) []string {
			return []string{"timebench compare --threads 1.." + strconv.Itoa(max(2, s.Host.CPU.Usable))}
		}},
	"avoid-counter": {source: "docs/counter.md: the switch of each program, with its source",
		advice: "Have programs read the clock of the system: PostgreSQL 19 with timing_clock_source = system, GE-Proton with WINE_DISABLE_QPC_TSC=1, Valkey 9.1 built with NO_PROCESSOR_CLOCK"},
	"recheck": {source: "docs/verify.md",
		advice:   "Do not trust the time of this machine. Check whether the fault persists, and which clocks have it",
		commands: []string{"timebench verify --load --duration 1m"}},
	"raise-quota": {source: "docs.kernel.org/scheduler/sched-bwc.html; kubernetes.io: resources.limits.cpu; docker run --cpus; systemd.resource-control(5): CPUQuota",
		advise: func(s *machine) string {
			switch s.Host.Container {
			case "":
				return "Raise or remove the quota: CPUQuota= of the systemd unit, or cpu.max of the control group"
			case "docker", "podman":
				return "Raise or remove the quota of the container: --cpus of docker and podman, limits.cpu of Kubernetes"
			default:
				return "Raise or remove the quota of the container: limits.cpu of Kubernetes and LXD, --cpus of docker and podman"
			}
		},
		risk: "The process can then take CPU time from others on this machine."},
	"quieter-host": {source: "man7.org/linux/man-pages/man5/proc_stat.5.html: steal",
		advice: "Move to a host with fewer virtual machines, or to an instance type with dedicated CPUs"},
	"burstable": {where: func(s *machine) bool {
		return s.Host.Machine != nil && s.Host.Machine.Vendor == "Amazon EC2" && burstable(s.Host.Machine.Product)
	}, source: "docs.aws.amazon.com/AWSEC2/latest/UserGuide/burstable-performance-instances.html: T2, T3, T3a, T4g; the standard mode limits the CPUs when the credits are used up",
		advise: func(s *machine) string {
			return fmt.Sprintf("This instance type (%s) is burstable: when its CPU credits are used up, the host limits its CPUs. Check CPUCreditBalance in CloudWatch; use the unlimited mode, or another instance type", s.Host.Machine.Product)
		}},
	"performance-governor": {where: func(s *machine) bool { return !s.InContainer() && !s.IsGuest() }, source: "docs.kernel.org/admin-guide/pm/cpufreq.html",
		advice:   "For a measurement, or if latency matters more than power, select the performance governor. It lasts until the next boot, and does not stop turbo frequencies",
		commands: []string{"sudo cpupower frequency-set -g performance"},
		risk:     "More power and heat."},
	"find-callers": {source: "docs/profile.md",
		advice:   "Find the callers, and read the clock less often: once for each batch, request or turn of a loop",
		commands: []string{"sudo timebench profile"},
		risk:     "Events of one batch get the same time."},
	"amd64-build": {where: func(s *machine) bool { return s.Host.Arch == "386" && s.OnLinux() && !s.LogOnly() }, source: "docs/doctor.md: Proof of kernel entry",
		advice: "If the kernel is a 64-bit one, run the amd64 build of timebench, which can prove it"},
	"measure-there": {where: (*machine).LogOnly, source: "docs/doctor.md",
		advice:   "Measure on that machine what a read costs, and whether it enters the kernel",
		commands: []string{"timebench doctor"}},
}

func burstable(instance string) bool {
	family, _, _ := strings.Cut(instance, ".")
	return slices.Contains([]string{"t2", "t3", "t3a", "t4g"}, family)
}
