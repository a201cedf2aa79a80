package situation

import (
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// LogOnly reports whether the document is from a kernel log alone, without a measurement and without another file that
// shows the CPUs.
func (s *Situation) LogOnly() bool {
	log := s.Host.KernelLog
	return log != nil && log.Reason == "" && s.Host.CPU.Logical == 0 && len(s.Clocks) == 0 &&
		!slices.ContainsFunc(s.Sections, func(section result.Section) bool {
			_, costs := section.(*compare.Costs)
			return !costs
		})
}

// OnLinux reports whether the document is from Linux. Other systems have other tools and manuals.
func (s *Situation) OnLinux() bool { return s.Host.OS == "linux" }

// OnWindows reports whether the document is from Windows.
func (s *Situation) OnWindows() bool { return s.Host.OS == "windows" }

// bsds are the systems whose clock source is a timecounter (timecounters(4), tc_init(9))
var bsds = []string{"freebsd", "netbsd", "openbsd", "dragonfly"}

// OnBSD reports whether the document is from a BSD.
func (s *Situation) OnBSD() bool { return slices.Contains(bsds, s.Host.OS) }

// OnX86 reports whether the machine has a TSC. A kernel log alone may not show its CPU.
func (s *Situation) OnX86() bool { return slices.Contains([]string{"amd64", "386", ""}, s.Host.Arch) }

// OlderThan reports whether the kernel is known, and older than a release.
func (s *Situation) OlderThan(major, minor int) bool {
	return kernellog.Older(s.Host.Kernel, major, minor)
}

// IsGuest reports whether the machine is virtual.
func (s *Situation) IsGuest() bool {
	return s.Host.Virtualization != nil && s.Host.Virtualization.Role == "guest"
}

// GuestUnder reports whether the machine is a guest of any of these hypervisors.
func (s *Situation) GuestUnder(systems ...string) bool {
	return s.IsGuest() && slices.Contains(systems, s.Host.Virtualization.System)
}

// HostOf reports whether the machine is a host of guests of a hypervisor; of any hypervisor if system is "".
func (s *Situation) HostOf(system string) bool {
	v := s.Host.Virtualization
	return v != nil && v.Role == "host" && (system == "" || v.System == system)
}

// OnXen reports whether the machine is a guest of Xen, and not its first domain.
func (s *Situation) OnXen() bool {
	return s.GuestUnder("xen") || s.Host.Virtualization == nil && s.ClockSource == "xen"
}

const gVisorKernel = "4.4.0" // the release that gVisor reports (pkg/sentry/syscalls/linux/linux64.go)

// InGVisor reports whether the machine is a sandbox of gVisor: its kernel log begins with "Starting gVisor"
// (pkg/sentry/kernel/syslog.go); or it is a container with the release of gVisor, which distributions follow by a
// number and a name.
func (s *Situation) InGVisor() bool {
	return s.Host.Container == "gvisor" || s.Logs("gvisor") ||
		s.Host.Kernel == gVisorKernel && s.Host.Container != "" && s.Host.ClockSource == nil
}

// InContainer reports whether the process is in a container, which shares the kernel of its host.
func (s *Situation) InContainer() bool { return s.Host.Container != "" && !s.InGVisor() }

// InWSL reports whether the machine is the virtual machine of the Windows Subsystem for Linux, version 2. A kernel log
// shows it in the release of the kernel.
func (s *Situation) InWSL() bool {
	return s.Host.WSL == 2 || strings.Contains(strings.ToLower(s.Host.Kernel), "microsoft-standard")
}

// OwnsFirmware reports whether the machine has firmware that its owner can update: it is not virtual. A kernel log
// alone may not show that; then it counts as a real machine, and the advice says so.
func (s *Situation) OwnsFirmware() bool { return !s.IsGuest() && !s.InGVisor() && !s.InWSL() }
