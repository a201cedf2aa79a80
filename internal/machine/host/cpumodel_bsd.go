//go:build freebsd || netbsd || openbsd

package host

import "golang.org/x/sys/unix"

// cpuModel returns the name that the CPU gives itself; "" if unknown. gopsutil needs /var/run/dmesg.boot of FreeBSD,
// which a jail lacks, and on NetBSD takes the name from the firmware, which in a virtual machine names the machine.
func cpuModel() string {
	for _, name := range []string{"machdep.cpu_brand", "hw.model"} { // only NetBSD on x86 has the first
		if model, err := unix.Sysctl(name); err == nil && model != "" {
			return model
		}
	}
	return ""
}
