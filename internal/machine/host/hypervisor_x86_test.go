//go:build 386 || amd64

package host

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// Hypervisors by the signatures in the leaves 40000000H and 40000100H. A CPU returns something else for a missing leaf.
func TestHypervisorOfTheCPU(t *testing.T) {
	for _, test := range []struct{ first, second, want string }{
		{"KVMKVMKVM\x00\x00\x00", "", "kvm"},
		{"Microsoft Hv", "", "hyperv"},
		{"Microsoft Hv", "\x01\x02\x03", "hyperv"},
		{"Microsoft Hv", "KVMKVMKVM\x00\x00\x00", "kvm"},
		{"Microsoft Hv", "XenVMMXenVMM", "xen"},
		{"AnotherName1", "KVMKVMKVM", "kvm"},
		{"bhyve bhyve ", "", "bhyve"},
		{"TCGTCGTCGTCG", "", "tcg"},
		{" lrpepyh vr ", "", "parallels"},
		{"Apple VZ", "", "apple"},
		{" Unheard of ", "", "Unheard of"},
		{"", "", ""},
	} {
		leaves := map[uint32]string{0x40000000: test.first, 0x40000100: test.second}
		got := hypervisorBy(func(leaf uint32) (eax, ebx, ecx, edx uint32) {
			letters := append([]byte(leaves[leaf]), make([]byte, 12)...)
			return 0x40000001, binary.LittleEndian.Uint32(letters), binary.LittleEndian.Uint32(letters[4:]), binary.LittleEndian.Uint32(letters[8:])
		})
		require.Equal(t, test.want, got, "%q, %q", test.first, test.second)
	}
}
