package native

import (
	"encoding/binary"
	"testing"

	"github.com/klauspost/cpuid/v2"
	"github.com/stretchr/testify/require"
)

// Each result is in its place: the vendor's twelve letters are in EBX, EDX and ECX, and the
// stepping, model and family in EAX.
func TestCPUIDAgreesWithAnother(t *testing.T) {
	_, ebx, ecx, edx := CPUID(0)
	var vendor []byte
	for _, letters := range []uint32{ebx, edx, ecx} {
		vendor = binary.LittleEndian.AppendUint32(vendor, letters)
	}
	require.Equal(t, cpuid.CPU.VendorString, string(vendor))
	eax, _, _, _ := CPUID(1)
	require.EqualValues(t, cpuid.CPU.Stepping, eax&0xf)
}
