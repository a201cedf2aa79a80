package verify

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

func TestCounterIsTrusted(t *testing.T) {
	yes, no := true, false
	source := func(current string, available ...string) *result.ClockSource {
		return &result.ClockSource{Current: current, Available: available}
	}
	for _, test := range []struct {
		host result.Host
		want bool
	}{
		{result.Host{ClockSource: source("tsc", "tsc", "hpet")}, true},
		{result.Host{ClockSource: source("arch_sys_counter", "arch_sys_counter")}, true},
		{result.Host{ClockSource: source("hpet", "hpet", "acpi_pm")}, false},
		{result.Host{ClockSource: source("kvm-clock", "kvm-clock", "tsc")}, true},
		{result.Host{ClockSource: source("kvm-clock", "kvm-clock")}, false}, // the tsc was given up
		{result.Host{CPU: result.CPU{InvariantTSC: &yes}}, true},
		{result.Host{CPU: result.CPU{InvariantTSC: &no}}, false},
		{result.Host{}, true}, // not x86
	} {
		require.Equal(t, test.want, CounterIsTrusted(test.host), "%+v", test.host)
	}
}
