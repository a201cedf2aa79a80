//go:build 386 || amd64

package counter

import (
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/machine/native"
	"github.com/timebench/timebench/internal/system/procfile"
)

// khzFile is a file of a module outside Linux, which some machines load for programs that read the counter.
const khzFile = "/sys/devices/system/cpu/cpu0/tsc_freq_khz"

// systemRates returns the frequencies that programs can read here.
func systemRates() []CounterRate {
	all := cpuid(native.CPUID).rates()
	text, _ := procfile.Read(khzFile) // most machines do not have it
	if khz, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 32); err == nil && khz > 0 {
		all = append(all, CounterRate{Name: "tsc_freq_khz", HZ: float64(khz) * 1e3})
	}
	return all
}
