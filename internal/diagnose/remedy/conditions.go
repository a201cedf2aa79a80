package remedy

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/show/texts"
	"github.com/timebench/timebench/internal/show/words"
)

// A machine is the situation that a remedy is for.
type machine = situation.Situation

// Holds reports whether facts hold on a machine.
func Holds(s *machine, facts string) bool { return texts.Hold(facts, holding(s)) }

// Fitting returns an entry with the fields for a machine.
func Fitting(s *machine, e texts.Entry) texts.Entry { return e.Holding(holding(s)) }

func holding(s *machine) func(fact []string) bool {
	return func(fact []string) bool {
		of, known := conditions[fact[0]]
		if !known {
			panic("no condition " + fact[0]) // a mistake in a table, which a test finds
		}
		return of(s, fact[1:])
	}
}

// realCPU matches the names of real CPUs, and emulatedCPU those that QEMU gives emulated ones although they have the
// same form: target/i386/cpu.c, model_id.
var (
	realCPU     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(R\)|-Core Processor`) })
	emulatedCPU = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`T7700|T2600|N270|Phenom`) })
)

// logsNTP matches the beginning of a line of a time service.
var logsNTP = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:chronyd|ntpd|systemd-timesyncd)(?:\[\d+\])?:`)
})

// ntpServices are the time services that ask servers of the network.
var ntpServices = []string{"chronyd", "ntpd", "ntpd-rs", "systemd-timesyncd"}

// conditions are the facts of a machine that a remedy may need, by their names in remedies.txt. The words after a name
// are its arguments.
var conditions = map[string]func(*machine, []string) bool{
	// The platform.
	"linux": is((*machine).OnLinux), "windows": is((*machine).OnWindows), "bsd": is((*machine).OnBSD),
	"os":   func(s *machine, names []string) bool { return slices.Contains(names, s.Host.OS) },
	"x86":  is((*machine).OnX86),
	"arch": func(s *machine, names []string) bool { return slices.Contains(names, s.Host.Arch) },
	"wsl":  is((*machine).InWSL), "gvisor": is((*machine).InGVisor), "container": is((*machine).InContainer),
	"in": func(s *machine, names []string) bool {
		return slices.Contains(names, cmp.Or(s.Host.Container, "none"))
	},
	"docker-desktop": is(inDockerDesktop),
	"guest":          is((*machine).IsGuest), "xen": is((*machine).OnXen),
	"own-firmware": is(func(s *machine) bool { return s.OwnsFirmware() && !inDockerDesktop(s) }),
	"guest-of":     func(s *machine, names []string) bool { return s.GuestUnder(names...) },
	"host-of":      one((*machine).HostOf),
	"own-host":     is(func(s *machine) bool { return CloudOf(s) == nil && !s.InWSL() }), // its user may have access to it
	"cloud":        is(func(s *machine) bool { return CloudOf(s) != nil }),
	"cloud-service": is(func(s *machine) bool { // a time service of the cloud
		cloud := CloudOf(s)
		return cloud != nil && cloud.advice != ""
	}),
	"host-cpu": is(func(s *machine) bool {
		return realCPU().MatchString(s.Host.CPU.Model) && !emulatedCPU().MatchString(s.Host.CPU.Model)
	}),
	"burstable": is(func(s *machine) bool {
		return slices.Contains([]string{"t2", "t3", "t3a", "t4g"}, family(instance(s)))
	}),
	"older-than": one(isOlder), "may-predate": one(mayPredate), "old-words": is(hasOldWords),
	"modules":  is(func(s *machine) bool { return !s.Host.NoModules }),
	"log-only": is((*machine).LogOnly), "unmeasured": is((*machine).Unmeasured),
	// Facts that the document lacks.
	"arch-unknown":   is(func(s *machine) bool { return s.Host.Arch == "" }),
	"source-unknown": is(func(s *machine) bool { return s.ClockSource == "" }),
	// Nothing shows a hypervisor, nor does the firmware name a real machine, nor has it an IOMMU that hangs.
	"virtualization-unknown": is(func(s *machine) bool {
		return s.Host.Virtualization == nil && !s.Logs("iommu-stalled") && !namesRealMachine(s)
	}),
	"distribution-unknown": is(func(s *machine) bool { return distribution(s) == "" && !isDebian(s) }),
	// The kernel command line and the kernel log.
	"command-line-known": is(func(s *machine) bool { return !s.LogOnly() || s.Host.BootParameters != nil }),
	"set":                one((*machine).IsSet),
	"unset":              func(s *machine, all []string) bool { return s.Unset(all...) },
	"chosen": func(s *machine, sources []string) bool {
		chosen := s.BootChoice().Value
		return slices.Contains(sources, chosen) || len(sources) == 0 && chosen != ""
	},
	"log-whole":      is((*machine).SeenWhole),
	"log-unread":     is(func(s *machine) bool { return s.Host.KernelLog != nil && s.Host.KernelLog.Reason != "" }),
	"log-truncated":  is(func(s *machine) bool { return s.Host.KernelLog != nil && s.Host.KernelLog.Truncated }),
	"has-used-tsc":   is((*machine).HasUsedTSC),
	"timers-hidden":  is(func(s *machine) bool { return len(s.HidesTimers()) > 0 }),
	"highres-off":    is(func(s *machine) bool { return len(HighResolutionOff(s)) > 0 }),
	"nothing-failed": is((*machine).NothingFailed),
	"checked-by":     one((*machine).CheckedBy),
	"shows":          one((*machine).Shows),
	"blamed": one(func(s *machine, kind string) bool { // a line of this kind is evidence of the decisive cause
		causes := s.Causes()
		return len(causes) > 0 && slices.ContainsFunc(causes[0].Evidence, func(e kernellog.Event) bool { return e.Kind == kind })
	}),
	"logs":       func(s *machine, kinds []string) bool { return slices.ContainsFunc(kinds, s.Logs) },
	"stepped-by": one(steppedBy),
	// The clock source.
	"source":           func(s *machine, names []string) bool { return slices.Contains(names, s.ClockSource) },
	"offers":           one((*machine).Offers),
	"could-use":        one((*machine).CouldUse),
	"best-known":       is(func(s *machine) bool { return s.Best() != "" }),
	"on-best":          is(func(s *machine) bool { return s.Best() == "" || s.Best() == s.ClockSource }),
	"only-ticks":       is((*machine).HasOnlyTicks),
	"hypervisor-clock": is(func(s *machine) bool { return s.HypervisorClock() != "" }),
	"hypervisor-clock-unused": is(func(s *machine) bool {
		return s.HypervisorClock() != "" && s.HypervisorClock() != s.ClockSource
	}),
	"restorable": is(func(s *machine) bool {
		original := s.Host.UnrestoredClockSource.Original
		return (len(s.ClockSources) == 0 || s.Offers(original)) && safeInShell().MatchString(original)
	}),
	"sets":        one((*machine).Sets),
	"tsc-counter": is(func(s *machine) bool { return situation.IsTSCCounter(s.ClockSource) }),
	"tsc-counter-unused": is(func(s *machine) bool {
		name, _ := s.TSCCounter()
		return name != "" && name != s.ClockSource
	}),
	"tsc-counter-poor": is(func(s *machine) bool {
		_, quality := s.TSCCounter()
		return quality < 0
	}),
	// The TSC.
	"tsc-usable": is((*machine).MayUseTSC), "tsc-right": is((*machine).IsTSCRight),
	"tsc-behind-ticks": is(func(s *machine) bool { return slices.Contains(s.BehindTicks(), "tsc") }),
	"tsc-plausible":    is(tscPlausible),
	"tsc-doubted":      is((*machine).DoubtsTSC),
	"tsc-may-stop":     is((*machine).TSCMayStop),
	"tsc-adjust":       is((*machine).HasTSCAdjust),
	"not-invariant":    is(func(s *machine) bool { return s.Host.CPU.InvariantTSC != nil && !s.Invariant() }),
	"may-sleep-in-pc10": is(func(s *machine) bool { // laptops with these chips have at most 16 CPUs
		return s.Host.CPU.Model == "" && s.HighestCPU() < 16 || strings.Contains(s.Host.CPU.Model, "Core(TM) i")
	}),
	"many-cpus": is(func(s *machine) bool { return s.HighestCPU() >= 64 }), // usually of more than two sockets
	// The run, and the coarse clocks.
	"ran":                one((*machine).Ran),
	"command":            one(func(s *machine, name string) bool { return s.Tool.Command == name }),
	"coarse-clocks":      is(func(s *machine) bool { return coarseClocks(s) != "" }),
	"coarse-calls":       is(func(s *machine) bool { return languagesWithCalls(s) != "" }),
	"lacks-coarse-calls": is(func(s *machine) bool { return languagesWithout(s) != "" }),
	// The wall clock and its services.
	"synchronised": is((*machine).IsSynchronised),
	"rtc-right":    is((*machine).RTCIsRight),
	"rtc-ahead":    is(func(s *machine) bool { return kernellog.RTCAheadSeconds(s.Events()) > 0 }),
	"host-clock":   is(func(s *machine) bool { return s.HostClock() != nil }),
	"runs":         one(func(s *machine, service string) bool { return slices.Contains(s.ServiceNames(), service) }),
	"runs-ntp": is(func(s *machine) bool {
		return slices.ContainsFunc(s.ServiceNames(), func(name string) bool { return slices.Contains(ntpServices, name) })
	}),
	"logs-ntp": is(func(s *machine) bool { // a time service wrote lines of the log
		return slices.ContainsFunc(s.Events(), func(e kernellog.Event) bool { return logsNTP().MatchString(e.Line) })
	}),
	"debian":          is(isDebian),
	"service-manager": one(func(s *machine, name string) bool { return serviceManager(s) == name }),
	"w32time": one(func(s *machine, state string) bool {
		if s.Host.Windows == nil || s.Host.Windows.W32Time == nil {
			return false
		}
		service := s.Host.Windows.W32Time
		return slices.Contains([]string{service.Start, service.State, service.Type}, state) ||
			state == "servers" && service.Servers != ""
	}),
}

// is makes a condition of a fact without arguments, one of a fact with one.
func is(fact func(*machine) bool) func(*machine, []string) bool {
	return func(s *machine, _ []string) bool { return fact(s) }
}

func one(fact func(*machine, string) bool) func(*machine, []string) bool {
	return func(s *machine, arguments []string) bool { return fact(s, arguments[0]) }
}

// inDockerDesktop reports whether the kernel is of the virtual machine of Docker Desktop. Its user restarts it, but
// changes neither its kernel nor its boot parameters. Kernels of LinuxKit also run in clouds and on real machines.
func inDockerDesktop(s *machine) bool {
	return strings.Contains(s.Host.Kernel, "-linuxkit") && CloudOf(s) == nil && !namesRealMachine(s)
}

// namesRealMachine reports whether the firmware names a real machine.
func namesRealMachine(s *machine) bool {
	return kernellog.NamesRealMachine(words.Part(s.Host.Machine, (*result.Machine).Name))
}

// steppedBy reports whether the largest step of the wall clock in a log, other than a step by Windows, is of a kind.
func steppedBy(s *machine, kind string) bool {
	return kernellog.SteppedBy(slices.DeleteFunc(slices.Clone(s.Events()), func(e kernellog.Event) bool {
		return strings.Contains(e.Line, "The time service has set")
	}), kind)
}

// instance returns the instance type of a machine of Amazon; "" of another one.
func instance(s *machine) string {
	found, isAmazon := strings.CutPrefix(words.Part(s.Host.Machine, (*result.Machine).Name), "Amazon EC2 ")
	return words.Either(isAmazon, found, "")
}

// family returns the family of an instance type: t3 of t3.micro.
func family(instance string) string {
	name, _, _ := strings.Cut(instance, ".")
	return name
}

// isDebian reports whether the distribution of a machine is Debian, or made from it.
func isDebian(s *machine) bool {
	id := distribution(s)
	return id == "debian" || id == "ubuntu" || slices.Contains(s.Host.DistributionLike, "debian")
}

// serviceManager returns what starts the services of a machine: openrc, systemd, or other. A measured
// machine where none was found has another. It is unknown for the host of a container, and may be for the files of a
// machine: then it is the commonest.
func serviceManager(s *machine) string {
	switch manager := s.Host.ServiceManager; {
	case manager == "openrc" || distribution(s) == "alpine":
		return "openrc"
	case manager == "systemd", manager == "" && (s.Unmeasured() || s.InContainer()):
		return "systemd"
	}
	return "other"
}

// parameters are the boot parameters that remedies remove, if their names alone do not say it.
var parameters = map[string]func(*machine) []situation.Parameter{
	"chosen sources": func(s *machine) []situation.Parameter {
		chosen := s.Parameters("clocksource", "notsc", "tsc=unstable", "no_kvmclock")
		return slices.DeleteFunc(chosen, func(p situation.Parameter) bool {
			return p.Name == "clocksource" && (p.Value == s.Best() || p.Value == "tsc")
		})
	},
	"hiding parameters": (*machine).HidesTimers,
	"highres off":       HighResolutionOff,
}

// HighResolutionOff returns the boot parameters that turn high-resolution timers off: highres= with what kstrtobool
// takes for false (kernel/time/hrtimer.c: setup_hrtimer_hres; lib/kstrtox.c).
func HighResolutionOff(s *machine) []situation.Parameter {
	return slices.DeleteFunc(s.Parameters("highres"), func(p situation.Parameter) bool {
		begins := func(no string) bool { return strings.HasPrefix(strings.ToLower(p.Value), no) }
		return !slices.ContainsFunc([]string{"0", "n", "f", "of"}, begins)
	})
}
