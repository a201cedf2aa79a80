package host

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// The page of a machine counts from the first marker of its hypervisor.
func TestAtOfAMachineWithVMClock(t *testing.T) {
	page := make([]byte, 4096)
	copy(page, "VCLK\x00\x10\x00\x00\x01\x00\xff\x00\x04\x00\x00\x00\x02") // two updates, marker 2
	firecracker := "[    0.000000] Linux version 6.18.0\n[    0.000000] Hypervisor detected: KVM\n[    0.001087] ACPI: RSDP 0x00000000000E0000 000024 (v02 FIRECK)\n"
	for log, want := range map[string]int64{"": 1, firecracker: 2} {
		root := rooted(t, map[string]string{"dev/vmclock0": string(page), "var/log/dmesg": log})
		require.Equal(t, &result.VMClock{DisruptionMarker: "2", Disruptions: want, Status: "unknown"}, At(root).VMClock)
	}
	require.Nil(t, At(t.TempDir()).VMClock)
}
