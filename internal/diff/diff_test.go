package diff

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
)

var usual = section.Settings{MinChange: 0.02}

func document(clocks ...compare.Clock) *result.Document {
	return &result.Document{Schema: result.Schema, Settings: result.Settings{Pin: "none", Workers: "threads"}, Sections: []result.Section{&compare.Costs{Clocks: clocks}}}
}

func between(old, new *result.Document, s section.Settings) *Diff {
	return Compare(Read("old.json", old), Read("new.json", new), s)
}

func TestSetupNamesWhatDiffers(t *testing.T) {
	old, new := document(), document()
	require.Empty(t, between(old, new, usual).Setup)
	yes, no := true, false
	old.Host = result.Host{OS: "linux", Kernel: "6.1", CPU: result.CPU{InvariantTSC: &yes, TSCHz: 2.5961e9}, ClockSource: &result.ClockSource{Current: "tsc"}}
	new.Host = result.Host{OS: "linux", Kernel: "6.2", CPU: result.CPU{InvariantTSC: &no, TSCHz: 2.59611e9, Quota: 0.5}, ClockSource: &result.ClockSource{Current: "hpet"}}
	new.Settings.Pin = "spread"
	compare.Into(old).FloorNS, compare.Into(new).FloorNS = 1.354, 1.6
	new.Interrupted = true
	require.Equal(t, []Difference{
		{"Clock source", "tsc", "hpet"}, {"Kernel", "6.1", "6.2"}, {"CPU quota", "", "0.5"}, {"Invariant TSC", "true", "false"},
		{"Pinned", "none", "spread"}, {"Complete", "yes", "no, interrupted"}, {"Empty call", "1.35 ns (the CPU's speed)", "1.60 ns (the CPU's speed)"},
	}, between(old, new, usual).Setup)
}

// Only root finds that a guest of KVM runs on Firecracker, and only root reads the kernel log.
func TestSetupIsThatOfEveryUser(t *testing.T) {
	byRoot, byUser := document(), document()
	byRoot.Host = result.Host{
		Virtualization: &result.Virtualization{System: "firecracker", Role: "guest"}, CPU: result.CPU{KernelTSCHz: 2596122000},
		KernelLog: &result.KernelLog{Source: "/dev/kmsg", Lines: []string{"Hypervisor detected: KVM"}},
	}
	byUser.Host = result.Host{
		Virtualization: &result.Virtualization{System: "kvm", Role: "guest"}, KernelLog: &result.KernelLog{Reason: "operation not permitted"},
	}
	require.Empty(t, between(byRoot, byUser, usual).Setup)
	require.Empty(t, between(byUser, byRoot, usual).Setup)
	byUser.Host.Virtualization.System = "xen"
	require.Equal(t, []Difference{{"Virtualization", "kvm, guest", "xen, guest"}}, between(byRoot, byUser, usual).Setup)
}
