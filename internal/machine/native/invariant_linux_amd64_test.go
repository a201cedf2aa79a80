package native

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// The kernel derives nonstop_tsc from the same bit (arch/x86/kernel/cpu/intel.c, amd.c).
func TestInvariantTSCAsTheKernelTellsIt(t *testing.T) {
	cpuinfo, err := os.ReadFile("/proc/cpuinfo")
	require.NoError(t, err)
	flags := regexp.MustCompile(`(?m)^flags\s*:.*$`).Find(cpuinfo)
	if flags == nil {
		t.Skip("this /proc/cpuinfo has no flags of an x86 CPU")
	}
	_, _, _, edx := CPUID(0x80000007)
	require.Equal(t, regexp.MustCompile(`\bnonstop_tsc\b`).Match(flags), edx&(1<<8) != 0)
}
