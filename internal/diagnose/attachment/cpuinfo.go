package attachment

import (
	"io"
	"strings"
)

const (
	// maxCPUs is the max number of CPUs of Linux (NR_CPUS in arch/x86/Kconfig).
	maxCPUs = 8192
	// maxCPULines is the max number of lines of /proc/cpuinfo that are kept: x86 has 28 for each CPU.
	maxCPULines = 28 * maxCPUs
)

// A cpuinfo is /proc/cpuinfo without what only takes memory: the flags of all CPUs but the first, and CPUs that no
// machine has.
type cpuinfo struct {
	text        strings.Builder
	cpus, lines int
	flags       bool // whether those of the first are kept
}

func (c *cpuinfo) add(line string) {
	key, _, _ := strings.Cut(line, ":")
	switch key = strings.TrimSpace(key); {
	case key == "processor":
		c.cpus++
	case key == "flags" || key == "Features": // x86, Arm
		if c.flags {
			return
		}
		c.flags = true
	case strings.HasSuffix(key, " flags") || key == "bugs":
		return
	}
	if c.lines++; c.cpus <= maxCPUs && c.lines <= maxCPULines {
		c.text.WriteString(line[:min(len(line), maxFact)] + "\n")
	}
}

func readCPUInfo(r io.Reader) ([]byte, error) {
	var c cpuinfo
	err := eachLine(r, c.add)
	return []byte(c.text.String()), err
}
