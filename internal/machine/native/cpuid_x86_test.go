//go:build 386 || amd64

package native

import (
	"encoding/binary"
	"testing"

	"github.com/klauspost/cpuid/v2"
	"github.com/stretchr/testify/require"
)

// Each register is in its place: the twelve letters of the vendor are in EBX, EDX and ECX; the
// stepping, model and family are in EAX.
func TestCPUIDAgreesWithAnother(t *testing.T) {
	_, ebx, ecx, edx := CPUID(0)
	var vendor []byte
	for _, letters := range []uint32{ebx, edx, ecx} {
		vendor = binary.LittleEndian.AppendUint32(vendor, letters)
	}
	require.Equal(t, cpuid.CPU.VendorString, string(vendor))
	eax, _, ecx, _ := CPUID(1)
	require.EqualValues(t, cpuid.CPU.Stepping, eax&0xf)
	require.Equal(t, cpuid.CPU.Supports(cpuid.HYPERVISOR), ecx>>31 != 0)
	require.Equal(t, cpuid.CPU.Supports(cpuid.RDTSCP), HasRDTSCP())
}
