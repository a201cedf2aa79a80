package cmd

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/verify"
)

func TestTrustworthy(t *testing.T) {
	good := verify.VerifiedClock{ID: "a", Verdict: verify.IsMonotonic}
	bad := verify.VerifiedClock{ID: "b", Verdict: verify.Backwards,
		Faults: []verify.ClockFault{{Kind: verify.FaultBackwards, Count: 1}}}
	missed := verify.VerifiedClock{ID: "d", Verdict: verify.Unverified, Reason: "it had no time"}
	absent := verify.VerifiedClock{ID: "c", Verdict: verify.Unverified, Reason: "there is none"}
	entries := []compare.Clock{{ID: "a", Available: true}, {ID: "b", Available: true}, {ID: "c"},
		{ID: "d", Available: true}}
	for _, test := range []struct {
		v    verify.Verification
		want string
	}{
		{verify.Verification{Clocks: []verify.VerifiedClock{good, absent}}, ""},
		{verify.Verification{Clocks: []verify.VerifiedClock{good, bad}}, "exit status 1"},
		{verify.Verification{Clocks: []verify.VerifiedClock{good, missed, absent}},
			"1 of 3 clocks could not be verified; d: it had no time"},
		{verify.Verification{Clocks: []verify.VerifiedClock{bad, missed}}, "exit status 1"},
		{verify.Verification{Clocks: []verify.VerifiedClock{missed}}, "no clock could be verified; d: it had no time"},
		{verify.Verification{Clocks: []verify.VerifiedClock{absent}}, "no clock could be verified; c: there is none"},
	} {
		err := trustworthy(&result.Document{Sections: []result.Section{&compare.Costs{Clocks: entries}, &test.v}})
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
