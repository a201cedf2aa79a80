package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// alone reports whether a document is from a kernel log alone: it has no clocks and nothing else
// that was measured, and no other file of the machine shows its CPUs.
func alone(d *result.Document) bool {
	return d.Host.KernelLog != nil && d.Host.KernelLog.Reason == "" && d.Host.CPU.Logical == 0 && len(compare.Of(d).Clocks) == 0 &&
		!slices.ContainsFunc(d.Sections, func(s result.Section) bool { _, costs := s.(*compare.Costs); return !costs })
}

// fromTheLog returns what begins titles of findings on a document from a kernel log alone, in lower case.
func fromTheLog(d *result.Document) string {
	switch log := d.Host.KernelLog; {
	case log.Mixed:
		return fmt.Sprintf("from a kernel log alone, with %d boots that cannot be separated: ", log.Boots)
	case log.Boots > 1:
		return fmt.Sprintf("from a kernel log alone, the last of its %d boots: ", log.Boots)
	}
	return "from a kernel log alone: "
}

// gVisorKernel is the release that gVisor reports (pkg/sentry/syscalls/linux/linux64.go).
const gVisorKernel = "4.4.0"

// inGVisor reports whether the machine is a sandbox of gVisor: its kernel log begins with
// "Starting gVisor" (pkg/sentry/kernel/syslog.go); or it is a container with the release of gVisor,
// which distributions follow by a number and a name.
func inGVisor(d *result.Document) bool {
	return d.Host.Container == "gvisor" || logs(d, "gvisor") ||
		d.Host.Kernel == gVisorKernel && d.Host.Container != "" && d.Host.ClockSource == nil
}

// inWSL reports whether the machine is the virtual one of the Windows Subsystem for Linux, version
// 2. Documents without the key have its name in the release of the kernel.
func inWSL(d *result.Document) bool {
	return d.Host.WSL == 2 || strings.Contains(strings.ToLower(d.Host.Kernel), "microsoft-standard")
}

// onLinux reports whether a document is from Linux. Other systems have other tools and manuals.
func onLinux(d *result.Document) bool { return d.Host.OS == "linux" }

func linuxLinks(d *result.Document, links ...string) []string {
	if onLinux(d) {
		return links
	}
	return nil
}
