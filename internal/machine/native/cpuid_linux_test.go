//go:build 386 || amd64

package native

import (
	"encoding/binary"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// Each register is in its place: the twelve letters of the vendor are in EBX, EDX and ECX, the stepping is in EAX; and
// the kernel derives the flags from the same bits (arch/x86/kernel/cpu/intel.c, amd.c).
func TestCPUIDAgreesWithTheKernel(t *testing.T) {
	cpuinfo, err := os.ReadFile("/proc/cpuinfo")
	require.NoError(t, err)
	value := func(name string) string {
		if found := regexp.MustCompile(`(?m)^` + name + `\s*: (.*)$`).FindSubmatch(cpuinfo); found != nil {
			return string(found[1])
		}
		return ""
	}
	if value("flags") == "" {
		need.Missing(t, "/proc/cpuinfo", "it has no flags of an x86 CPU")
	}
	_, ebx, ecx, edx := CPUID(0)
	var vendor []byte
	for _, letters := range []uint32{ebx, edx, ecx} {
		vendor = binary.LittleEndian.AppendUint32(vendor, letters)
	}
	require.Equal(t, value("vendor_id"), string(vendor))
	eax, _, ecx, _ := CPUID(1)
	require.Equal(t, value("stepping"), strconv.Itoa(int(eax&0xf)))
	_, _, _, power := CPUID(0x80000007)
	for flag, has := range map[string]bool{"hypervisor": ecx>>31 != 0, "rdtscp": HasRDTSCP(),
		"nonstop_tsc": power&(1<<8) != 0} {
		require.Equal(t, strings.Contains(value("flags")+" ", " "+flag+" "), has, flag)
	}
}
