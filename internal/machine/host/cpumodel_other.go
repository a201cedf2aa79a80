//go:build !linux && !windows && !freebsd && !netbsd && !openbsd

package host

import "github.com/shirou/gopsutil/v4/cpu"

// cpuModel returns the name of the CPU; "" if unknown.
func cpuModel() string {
	infos, err := cpu.Info()
	if err != nil || len(infos) == 0 {
		return ""
	}
	return infos[0].ModelName
}
