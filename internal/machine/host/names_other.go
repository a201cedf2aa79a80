//go:build !linux && !windows

package host

import (
	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/timebench/timebench/internal/document/result"
)

func addNames(facts *result.Host) {
	if infos, err := cpu.Info(); err == nil && len(infos) > 0 {
		facts.CPU.Model = infos[0].ModelName
	}
	if kernel, err := host.KernelVersion(); err == nil {
		facts.Kernel = kernel
	}
	if platform, _, version, err := host.PlatformInformation(); err == nil && platform != "" {
		facts.Distribution = platform + " " + version
	}
}
