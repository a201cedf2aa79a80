package fleet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// usualCosts are what clocks cost on a healthy machine, in ns.
var usualCosts = []Cost{
	{Clock: "CLOCK_MONOTONIC@vdso", MedianNS: 21.8, QuietNS: 21.7, KernelEntry: result.Never}, {Clock: "CLOCK_REALTIME@vdso", MedianNS: 21.9, QuietNS: 21.7, KernelEntry: result.Never},
	{Clock: "CLOCK_MONOTONIC_COARSE@vdso", MedianNS: 3.2, QuietNS: 3.1, KernelEntry: result.Never}, {Clock: "CLOCK_MONOTONIC@syscall", MedianNS: 250, QuietNS: 245, KernelEntry: result.Always}, {Clock: "RDTSC@cpu", MedianNS: 9.6, QuietNS: 9.5, KernelEntry: result.Never},
}

// made returns n machines of a few groups. Costs differ by a percent or two. Every tenth is busy: its costs
// are up to a fifth higher.
func made(n int, random *rand.Rand) []Machine {
	var all []Machine
	for i := range n {
		m := Machine{Name: fmt.Sprintf("web%04d", i), ClockSource: "tsc", alike: Alike{CPU: "AMD EPYC", Kernel: "linux/amd64 6.1.0", Hypervisor: "kvm", Version: "0.1.0"}}
		scale := 1.0
		switch i % 4 {
		case 1:
			m.alike.CPU, scale = "Intel Xeon", 0.9
		case 2:
			m.alike.Kernel, m.alike.Hypervisor, scale = "linux/amd64 5.15.0", "xen", 1.1
		}
		busy := 1.0
		if i%10 == 9 {
			busy += 0.2 * random.Float64()
		}
		for _, c := range usualCosts {
			noise := scale * busy * (1 + 0.01*random.NormFloat64())
			m.Clocks = append(m.Clocks, Cost{Clock: c.Clock, MedianNS: c.MedianNS * noise * (1 + 0.02*random.Float64()), QuietNS: c.QuietNS * noise, KernelEntry: c.KernelEntry})
		}
		if random.IntN(3) == 0 { // what many have is no reason
			m.Findings = append(m.Findings, Finding{"unsynchronised", result.Warn, "the wall clock is not synchronised"})
		}
		all = append(all, m)
	}
	return all
}

// planted makes seven machines odd, in four ways, and returns their names with the kinds.
func planted(all []Machine, random *rand.Rand) map[string][]string {
	odd := map[string][]string{}
	for i, at := range random.Perm(len(all))[:7] {
		m := &all[at]
		switch i % 4 {
		case 0: // demoted
			m.ClockSource = "hpet"
			for k := range m.Clocks[:2] {
				m.Clocks[k] = Cost{Clock: m.Clocks[k].Clock, MedianNS: 1450, QuietNS: 1400, KernelEntry: result.Always}
			}
			odd[m.Name] = []string{OddClockSource, OddKernelEntry, OddCost}
		case 1: // a clock that got dearer
			m.Clocks[0].MedianNS *= 1.6
			m.Clocks[0].QuietNS *= 1.6
			odd[m.Name] = []string{OddCost}
		case 2:
			m.Clocks[1].KernelEntry = result.Sometimes
			odd[m.Name] = []string{OddKernelEntry}
		case 3:
			m.Findings = append(m.Findings, Finding{"backwards", result.Error, "a clock went backwards"})
			odd[m.Name] = []string{OddFinding}
		}
	}
	return odd
}

// Exactly the odd machines are named, whatever the noise.
func TestOddMachines(t *testing.T) {
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 17)) //nolint:gosec // a test
		machines := made(1000, random)
		want := planted(machines, random)
		got := map[string][]string{}
		for _, g := range Groups(machines) {
			for _, m := range g.Machines {
				for _, r := range m.Reasons {
					got[m.Name] = append(got[m.Name], r.Kind)
				}
			}
		}
		require.Equal(t, want, got, "seed %d", seed)
	}
}

func TestGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test
	groups := Groups(made(103, random))
	require.Len(t, groups, 3)
	require.Equal(t, []int{51, 26, 26}, []int{len(groups[0].Machines), len(groups[1].Machines), len(groups[2].Machines)})
	require.Equal(t, []Count{{"tsc", 51}}, groups[0].ClockSources)
	require.True(t, slices.IsSortedFunc(groups[0].Machines, func(a, b Machine) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	}))
	require.Empty(t, Groups(nil))
}

// Of four machines none can be odd, and of a group of two kinds neither is.
func TestWhatIsNotOdd(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test
	all := made(4, random)
	for i := range all {
		all[i].alike = Alike{}
	}
	all[0].ClockSource = "hpet"
	g := Groups(all)[0]
	require.True(t, g.TooFew)
	require.Empty(t, g.Machines[0].Reasons)

	all = made(40, random)
	for i := range all {
		all[i].alike = Alike{}
		if i%2 == 0 {
			all[i].ClockSource = "kvm-clock"
			all[i].Clocks[0].QuietNS *= 2
		}
	}
	g = Groups(all)[0]
	require.False(t, g.TooFew)
	for _, m := range g.Machines {
		require.Empty(t, m.Reasons, m.Name)
	}
	require.Equal(t, []Count{{"kvm-clock", 20}, {"tsc", 20}}, g.ClockSources)
}

// Too few machines with a clock source for quartiles, and too many to be odd by it: none is odd for its costs.
func TestSomeOfAnotherClockSource(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test
	for name, c := range map[string]struct {
		machines, others int
		odd              bool
	}{
		"four of eighteen": {machines: 18, others: 4},
		"two of nine":      {machines: 9, others: 2},
		"two of twenty":    {machines: 20, others: 2, odd: true},
	} {
		all := made(c.machines, random)
		for i := range all {
			all[i].alike = Alike{}
			if i < c.others {
				all[i].ClockSource = "another"
				all[i].Clocks[0].QuietNS = 1400
			}
		}
		for i, m := range Groups(all)[0].Machines {
			require.Equal(t, i < c.others && c.odd, because(m, OddCost), "%s: %s %v", name, m.Name, m.Reasons)
		}
	}
}

// A cost that changed while it was measured is not odd.
func TestUnsteadyCostIsNotOdd(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test
	all := made(10, random)
	for _, unsteady := range []bool{false, true} {
		all[3].Clocks[0].QuietNS, all[3].Clocks[0].Unsteady = 900, unsteady
		for _, m := range Groups(all)[0].Machines {
			require.Equal(t, m.Name == all[3].Name && !unsteady, because(m, OddCost), m.Reasons)
		}
	}
}

// A clock that few machines timed, and clock sources of which none is usual, make nothing odd.
func TestNothingUsual(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test
	all := made(10, random)
	for i := range all {
		all[i].alike = Alike{}
		all[i].ClockSource = fmt.Sprint("source", i)
	}
	all[3].Clocks = append(all[3].Clocks, Cost{Clock: "CLOCK_PROCESS_CPUTIME_ID@vdso", MedianNS: 500, QuietNS: 500, KernelEntry: result.Always})
	for _, m := range Groups(all)[0].Machines {
		for _, r := range m.Reasons {
			require.NotContains(t, []string{OddClockSource, OddKernelEntry}, r.Kind, r.Text)
		}
	}
	for i := range all {
		all[i].ClockSource = ""
	}
	all[4].ClockSource = "tsc"
	for _, m := range Groups(all)[0].Machines {
		require.False(t, because(m, OddClockSource))
	}
}

func because(m Machine, kind string) bool {
	return slices.ContainsFunc(m.Reasons, func(r Reason) bool { return r.Kind == kind })
}
