package host

import (
	"slices"
	"strings"
)

// hostClocks begin the names of the PTP clocks that have the time of a hypervisor's host, in UTC (clock_name in
// /sys/class/ptp): ptp_kvm_common.c, ptp_vmw.c and ptp_vmclock.c in drivers/ptp, drivers/hv/hv_util.c, and Amazon's
// driver ena. Any other PTP clock belongs to a network card, and may be in TAI, or count from its start.
var hostClocks = []string{"KVM virtual PTP", "hyperv", "ptp_vmw", "vmclock", "ena-ptp-"}

// IsHostClock reports whether a PTP clock with this name has the time of the hypervisor's host.
func IsHostClock(name string) bool {
	return slices.ContainsFunc(hostClocks, func(begin string) bool { return strings.HasPrefix(name, begin) })
}
