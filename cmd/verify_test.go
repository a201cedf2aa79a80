package cmd

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/result"
)

func TestTrustworthy(t *testing.T) {
	good := result.VerifiedClock{ID: "a", Verdict: result.IsMonotonic}
	bad := result.VerifiedClock{ID: "b", Verdict: result.Backwards, Faults: []result.ClockFault{{Kind: result.FaultBackwards, Count: 1}}}
	missed := result.VerifiedClock{ID: "d", Verdict: result.Unverified, Reason: "it had no time"}
	absent := result.VerifiedClock{ID: "c", Verdict: result.Unverified, Reason: "there is none"}
	entries := []result.Clock{{ID: "a", Available: true}, {ID: "b", Available: true}, {ID: "c"}, {ID: "d", Available: true}}
	for _, test := range []struct {
		v    result.Verification
		want string
	}{
		{result.Verification{Clocks: []result.VerifiedClock{good, absent}}, ""},
		{result.Verification{Clocks: []result.VerifiedClock{good, bad}}, "<nil>"},
		{result.Verification{Clocks: []result.VerifiedClock{good, missed, absent}}, "1 of 3 clocks could not be verified; d: it had no time"},
		{result.Verification{Clocks: []result.VerifiedClock{bad, missed}}, "<nil>"},
		{result.Verification{Clocks: []result.VerifiedClock{missed}}, "no clock could be verified; d: it had no time"},
		{result.Verification{Clocks: []result.VerifiedClock{absent}}, "no clock could be verified; c: there is none"},
		{result.Verification{Clocks: []result.VerifiedClock{good}, Relations: []result.Relation{{Steady: true}}}, "<nil>"},
	} {
		err := trustworthy(&result.Document{Verification: &test.v, Clocks: entries})
		if test.want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, test.want)
		var f *failure
		require.ErrorAs(t, err, &f)
		require.Equal(t, 1, f.status)
	}
}

func TestMadeOfCounter(t *testing.T) {
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
		require.Equal(t, test.want, madeOfCounter(test.host), "%+v", test.host)
	}
}
