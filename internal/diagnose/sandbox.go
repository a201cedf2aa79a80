package diagnose

import (
	"strings"

	"github.com/timebench/timebench/internal/document/result"
)

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
